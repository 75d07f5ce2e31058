--- Indentation while one types. The server formats what is written.

local M = {}

--- The text of a line without a comment at its end.
local function code(line) return (vim.fn.getline(line):gsub('%s*//.*$', '')) end

--- What ends a line whose next one belongs to it.
local function is_open(text)
  return text:find('=>$') or text:find('[=%(%[{]$') or text:find('%f[%w_]in$')
end

--- How many more brackets a line closes than it opens.
local function closed(text)
  local _, opening = text:gsub('[%(%[{]', '')
  local _, closing = text:gsub('[%)%]}]', '')
  return closing - opening
end

--- The line with which the term begins that ends in a line: the one that opens the brackets that are closed there.
local function beginning(line)
  local open = closed(code(line))
  while open > 0 and line > 1 do
    line = line - 1
    open = open + closed(code(line))
  end
  return line
end

local function is_stage(text) return text:find('^%s*|>') end

--- How far a stage of a pipeline is indented: as far as the stage before it, or more than what flows into the first.
local function level_of_stage(before)
  local first = beginning(before)
  local level = vim.fn.indent(first)
  return is_stage(vim.fn.getline(first)) and level or level + vim.fn.shiftwidth()
end

--- How far the line `v:lnum` is indented.
function M.level()
  local line = vim.v.lnum
  local before = vim.fn.prevnonblank(line - 1)
  if before == 0 then return 0 end
  -- A definition ends at an empty line.
  if before < line - 1 then return 0 end
  if is_stage(vim.fn.getline(line)) then return level_of_stage(before) end
  local level = vim.fn.indent(before)
  local text = code(before)
  if is_open(text) then level = level + vim.fn.shiftwidth() end
  if vim.fn.getline(line):find('^%s*[%)%]}]') and not is_open(text) then level = level - vim.fn.shiftwidth() end
  return math.max(level, 0)
end

return M
