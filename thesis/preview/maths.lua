-- Formulas become Typst's own maths, one by one; thesis/preview/maths.py decides which of them may be set.
-- Each stands as typst .. U+001F .. TeX in the tree; one that pandoc cannot turn has nothing before the sign.

function Math(formula)
  local tex = formula.text:gsub("\\label%s*%b{}", "")
  local ok, made = pcall(function()
    return pandoc.write(pandoc.Pandoc({ pandoc.Plain({ pandoc.Math(formula.mathtype, tex) }) }), "typst")
  end)
  return pandoc.Math(formula.mathtype, (ok and made or "") .. "\u{1F}" .. formula.text)
end
