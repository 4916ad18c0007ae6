"""Commands of TeX and of packages that choose, pass on or hide what they are given, as far as they matter to citations."""

# What takes one of two ways that stand in braces, and how many arguments stand before them
CHOICES = {
    "ifthenelse": 1, "IfNoValueTF": 1, "IfValueTF": 1, "IfBooleanTF": 1, "IfBlankTF": 1, "ifblank": 1, "notblank": 1,
    "ifstrempty": 1, "ifstrequal": 2, "ifdefempty": 1, "iftoggle": 1, "ifbool": 1, "@ifundefined": 1, "ifcsdef": 1,
    "ifdef": 1, "ifundef": 1, "ifcsundef": 1, "ifnumcomp": 3, "ifboolexpr": 1, "ifinlist": 2, "@ifpackageloaded": 1,
    "@ifclassloaded": 1, "ifnum": 0, "ifentrytype": 1, "iffieldundef": 1, "ifcsempty": 1, "ifnumequal": 2,
    "tl_if_blank:nTF": 1, "tl_if_empty:nTF": 1, "tl_if_novalue:nTF": 1, "bool_if:NTF": 1,
}  # fmt: skip
CHOOSING = frozenset({*CHOICES, "@ifnextchar", "kernel@ifnextchar", "@ifstar", "@testopt", "@ifnextstar"})
AS_WRITTEN = frozenset(["detokenize", "string", "tl_to_str:n"])
# What is done by these can be told by TeX alone
OPAQUE = {
    "scantokens": "what it reads is put together", "directlua": "it runs Lua", "latelua": "it runs Lua",
    "luadirect": "it runs Lua", "luaexec": "it runs Lua", "tl_rescan:nn": "what it reads is put together",
}  # fmt: skip
# What takes a command and does not use it, and how many
TAKES = {
    "ifx": 2, "ifdefined": 1, "ifundefined": 1, "string": 1, "meaning": 1, "show": 1, "patchcmd": 1, "apptocmd": 1, "pretocmd": 1,
    "xpatchcmd": 1, "xapptocmd": 1, "xpretocmd": 1, "robustify": 1, "MakeRobust": 1, "appto": 1, "gappto": 1, "preto": 1,
    "g@addto@macro": 1, "addto@hook": 1, "addto": 1,
}  # fmt: skip
# Commands that use a command by its name, given as text
MAKES = frozenset(["csname", "@nameuse", "csuse", "use:c"])
