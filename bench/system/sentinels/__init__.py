"""A store of three servers that three Sentinels watch, and networks that split between them."""
