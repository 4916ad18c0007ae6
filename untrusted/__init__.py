"""Bytes from strangers, read safely: sandbox process, archives, office files, images, decoding, file names. No Django."""
