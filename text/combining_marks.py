"""Characters that are part of a letter, such as the vowel signs of Devanagari, which `\\w` does not match."""

import unicodedata

# Inside brackets of a pattern: combining marks, and the joiners of Indic scripts
COMBINING = (
    "".join(chr(code) for code in range(0x300, 0x1100) if unicodedata.category(chr(code))[0] == "M") + "\u200c\u200d"
)
