"""Commands of TeX and its packages that choose between arguments, ignore them or hide them, for cite_expansion.py."""

# Commands that choose one of two arguments, with the number of arguments before these
CHOICES = {
    "ifthenelse": 1, "IfNoValueTF": 1, "IfValueTF": 1, "IfBooleanTF": 1, "IfBlankTF": 1, "ifblank": 1, "notblank": 1,
    "ifstrempty": 1, "ifstrequal": 2, "ifdefempty": 1, "iftoggle": 1, "ifbool": 1, "@ifundefined": 1, "ifcsdef": 1,
    "ifdef": 1, "ifundef": 1, "ifcsundef": 1, "ifnumcomp": 3, "ifboolexpr": 1, "ifinlist": 2, "@ifpackageloaded": 1,
    "@ifclassloaded": 1, "ifnum": 0, "ifentrytype": 1, "iffieldundef": 1, "ifcsempty": 1, "ifnumequal": 2,
    "tl_if_blank:nTF": 1, "tl_if_empty:nTF": 1, "tl_if_novalue:nTF": 1, "bool_if:NTF": 1,
}  # fmt: skip
CHOOSING = frozenset({*CHOICES, "@ifnextchar", "kernel@ifnextchar", "@ifstar", "@testopt", "@ifnextstar"})
AS_WRITTEN = frozenset(["detokenize", "string", "tl_to_str:n"])  # print their arguments without expanding them
# Commands whose results only TeX or Lua can tell
OPAQUE = {
    "scantokens": "it reads text that commands put together", "directlua": "it runs Lua", "latelua": "it runs Lua",
    "luadirect": "it runs Lua", "luaexec": "it runs Lua", "tl_rescan:nn": "it reads text that commands put together",
}  # fmt: skip
# Commands that take other commands without executing them, with the number of these
TAKES = {
    "ifx": 2, "ifdefined": 1, "ifundefined": 1, "string": 1, "meaning": 1, "show": 1, "patchcmd": 1, "apptocmd": 1,
    "pretocmd": 1, "xpatchcmd": 1, "xapptocmd": 1, "xpretocmd": 1, "robustify": 1, "MakeRobust": 1, "appto": 1,
    "gappto": 1, "preto": 1, "g@addto@macro": 1, "addto@hook": 1, "addto": 1,
}  # fmt: skip
# Commands that execute a command by its name, which is given as text
MAKES = frozenset(["csname", "@nameuse", "csuse", "use:c"])
