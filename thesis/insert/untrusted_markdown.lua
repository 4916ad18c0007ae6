-- Text that others wrote: no raw markup, no pictures, only web links, and only formulas of mathematics.

local known = {}
for name in ([[alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi rho sigma tau
upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega frac dfrac tfrac sqrt sum prod int lim
le leq ge geq ne neq approx sim simeq equiv propto times cdot div pm mp ast star circ in notin subset subseteq cup cap
infty partial nabla hat bar tilde vec dot overline underline text textit textbf mathrm mathbf mathit mathcal mathbb mathsf
operatorname left right big Big log ln exp sin cos tan min max Pr mid to rightarrow leftarrow Rightarrow leftrightarrow
forall exists ldots dots cdots quad qquad binom degree prime ell langle rangle lfloor rfloor lceil rceil ll gg perp
parallel angle wedge vee neg emptyset mathop limits displaystyle]]):gmatch("%a+") do
  known[name] = true
end

local function is_mathematics(text)
  if #text > 500 or text:find("[%%#@~&]") or text:find("%^%^") or text:find("\n%s*\n") or text:find("\\[%(%)%[%]]") then
    return false
  end
  local depth = 0
  for brace in text:gsub("\\[{}]", ""):gmatch("[{}]") do
    depth = depth + (brace == "{" and 1 or -1)
    if depth < 0 then
      return false
    end
  end
  if depth ~= 0 then
    return false
  end
  for name in text:gmatch("\\(%a+)") do
    if not known[name] then
      return false
    end
  end
  return true
end

function Math(math)
  if not is_mathematics(math.text) then
    return pandoc.Str("$" .. math.text .. "$")
  end
end

function RawInline() return {} end
function RawBlock() return {} end
function Image(image) return image.caption end

function Link(link)
  if not link.target:match("^https?://[^%s{}\\]+$") then
    return link.content
  end
end

-- A heading is plain text: markup in it would be written twice, once for the outline of the PDF.
function Header(header)
  local function content(inline) return inline.content end
  header.content = header.content:walk({
    Emph = content, Strong = content, Link = content,
    Code = function(code) return pandoc.Str(code.text) end,
  })
  return header
end
