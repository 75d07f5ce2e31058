--- Indentation while one types. The server formats what is written.

local M = {}

--- The text of a line without a comment at its end.
local function code(line) return (vim.fn.getline(line):gsub('%s*//.*$', '')) end

--- What ends a line whose next one belongs to it.
local function is_open(text)
  return text:find('=>$') or text:find('[=%(%[{]$') or text:find('%f[%w_]in$')
end

--- How far the line `v:lnum` is indented.
function M.level()
  local line = vim.v.lnum
  local before = vim.fn.prevnonblank(line - 1)
  if before == 0 then return 0 end
  -- A definition ends at an empty line.
  if before < line - 1 then return 0 end
  local level = vim.fn.indent(before)
  local text = code(before)
  if is_open(text) then level = level + vim.fn.shiftwidth() end
  if vim.fn.getline(line):find('^%s*[%)%]}]') and not is_open(text) then level = level - vim.fn.shiftwidth() end
  return math.max(level, 0)
end

return M
