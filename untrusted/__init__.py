"""Safe reading of untrusted bytes: sandboxed process, archives, office files, images, decoding, file names.

Nothing here imports Django models or settings.
"""
