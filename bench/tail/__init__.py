"""What rare tags gain: where they are placed, and which hidden tags they find.

python -m bench.tail placing [CORPUS …]    tags with 5–9 documents that are pretended to be rare, and their concepts
python -m bench.tail recall [CORPUS …]     hidden tags of held-out documents, by three rankers side by side
python -m bench.tail vocabulary CORPUS=FILE … --url URL    300 tags of the whole vocabulary, asked of a running service
python -m bench.tail cost CORPUS=FILE … --older CHECKOUT   store, memory and times, this checkout beside an older one
"""
