"""What all pages share: the frame, assets, templates, parameters in addresses, markup, colours, cards."""
