-- Pandoc's LaTeX is made for pandoc's own templates. This filter writes tables with booktabs and pictures with a plain
-- \includegraphics, so that they can be edited as tables and pictures afterwards.

traverse = "topdown" -- a figure is seen before the picture in it

local MOST_ROWS = 45 -- a longer table is left to longtable, which breaks across pages
local WIDE = 28 -- characters of a cell from which a column wraps

local function latex(content)
  local written = pandoc.write(pandoc.Pandoc(content), "latex", { wrap_text = "none" })
  return (written:gsub("%s+$", ""))
end

local function width_of(image)
  local given = image.attributes.width
  if not given then
    return "0.8\\linewidth"
  end
  local percent = given:match("^([%d.]+)%%$")
  if percent then
    return string.format("%.2f\\linewidth", tonumber(percent) / 100)
  end
  local number, unit = given:match("^([%d.]+)(%a+)$")
  if not number or not ({ ["in"] = true, cm = true, mm = true, pt = true })[unit] then
    return "0.8\\linewidth"
  end
  local inches = tonumber(number) / ({ ["in"] = 1, cm = 2.54, mm = 25.4, pt = 72.27 })[unit]
  return inches > 6 and "\\linewidth" or string.format("%.2f", tonumber(number)):gsub("%.?0+$", "") .. unit
end

local function graphics(image)
  return "\\includegraphics[width=" .. width_of(image) .. "]{" .. image.src .. "}"
end

local function label(attr)
  return attr.identifier ~= "" and "\n\\label{" .. attr.identifier .. "}" or ""
end

local function caption_of(block)
  local text = latex(block.caption.long)
  return text ~= "" and "\n\\caption{" .. text .. "}" or ""
end

function Figure(figure)
  local images = {}
  figure.content:walk({ Image = function(image) images[#images + 1] = image end })
  if #images ~= 1 or pandoc.utils.stringify(figure.content) ~= pandoc.utils.stringify(images[1]) then
    return nil
  end
  local inside = "\\centering\n" .. graphics(images[1]) .. caption_of(figure) .. label(figure.attr)
  return pandoc.RawBlock("latex", "\\begin{figure}[htbp]\n" .. inside .. "\n\\end{figure}")
end

function Image(image)
  return pandoc.RawInline("latex", graphics(image))
end

-- Return the cells of a row as LaTeX, or nil if one of them is not plain text.
local function cells_of(row, widths)
  local cells = {}
  for number, cell in ipairs(row.cells) do
    local block = cell.contents[1]
    if cell.row_span ~= 1 or cell.col_span ~= 1 or #cell.contents > 1 then
      return nil
    end
    if block and block.t ~= "Plain" and block.t ~= "Para" then
      return nil
    end
    local has_note = false
    pandoc.Blocks(cell.contents):walk({ Note = function() has_note = true end })
    if has_note then
      return nil
    end
    cells[number] = block and latex({ pandoc.Plain(block.content) }):gsub("%s*\n%s*", " ") or ""
    widths[number] = math.max(widths[number] or 0, block and #pandoc.utils.stringify(block) or 0)
  end
  return table.concat(cells, " & ") .. " \\\\"
end

local function columns_of(specs, widths)
  local total, columns = 0, {}
  for number in ipairs(specs) do
    total = total + math.max(widths[number] or 0, 6)
  end
  local wraps = false
  for number in ipairs(specs) do
    wraps = wraps or (widths[number] or 0) > WIDE
  end
  for number, spec in ipairs(specs) do
    local side = ({ AlignRight = "r", AlignCenter = "c" })[tostring(spec[1])] or "l"
    if wraps and (widths[number] or 0) > WIDE / 2 then
      side = string.format("p{%.2f\\linewidth}", 0.9 * math.max(widths[number], 6) / total)
    end
    columns[number] = side
  end
  return table.concat(columns)
end

function Table(made)
  local widths, head, body = {}, {}, {}
  local rows = { { made.head.rows, head } }
  for _, one in ipairs(made.bodies) do
    rows[#rows + 1] = { one.head, body }
    rows[#rows + 1] = { one.body, body }
  end
  rows[#rows + 1] = { made.foot.rows, body }
  for _, pair in ipairs(rows) do
    for _, row in ipairs(pair[1]) do
      local line = cells_of(row, widths)
      if not line or #body > MOST_ROWS then
        return nil
      end
      pair[2][#pair[2] + 1] = line
    end
  end
  local lines = { "\\begin{table}[htbp]\n\\centering" .. caption_of(made) .. label(made.attr) }
  lines[#lines + 1] = "\\begin{tabular}{" .. columns_of(made.colspecs, widths) .. "}\n\\toprule"
  if #head > 0 then
    lines[#lines + 1] = table.concat(head, "\n") .. "\n\\midrule"
  end
  if #body > 0 then
    lines[#lines + 1] = table.concat(body, "\n")
  end
  lines[#lines + 1] = "\\bottomrule\n\\end{tabular}\n\\end{table}"
  return pandoc.RawBlock("latex", table.concat(lines, "\n"))
end
