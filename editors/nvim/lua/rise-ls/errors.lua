--- `:RiseExplainError`: what a diagnostic means, from the error reference.

local M = {}

--- The codes of the diagnostics in the line of the cursor, each once.
local function codes_here()
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  local codes = {}
  for _, found in ipairs(vim.diagnostic.get(0)) do
    local code = found.code or vim.tbl_get(found, 'user_data', 'lsp', 'code')
    local is_here = found.lnum <= line and line <= (found.end_lnum or found.lnum)
    if is_here and code and not vim.tbl_contains(codes, code) then table.insert(codes, code) end
  end
  return codes
end

--- The lines of an explanation. Behind the language of a block of code stands what the block is for, as in
--- "```rise wrong"; with that Neovim takes it for no block.
local function lines_of(text)
  local function plain(line) return (line:gsub('^(%s*```+[%w_]+)%s.*$', '%1')) end
  return vim.tbl_map(plain, vim.split(vim.trim(text), '\n'))
end

local function show(code)
  require('rise-ls').ask('rise/explainDiagnostic', { code = code }, function(problem, result)
    if problem then return vim.notify(problem.message or vim.inspect(problem), vim.log.levels.ERROR) end
    vim.lsp.util.open_floating_preview(lines_of(result.text), 'markdown', { focus_id = 'rise-explain-error' })
  end)
end

--- Explains a code, or the diagnostics in the line of the cursor.
---@param code string|nil
function M.explain(code)
  if code and code ~= '' then return show(code) end
  local codes = codes_here()
  if #codes == 0 then return vim.notify('RISE reports nothing in this line') end
  if #codes == 1 then return show(codes[1]) end
  vim.ui.select(codes, { prompt = 'Explain' }, function(chosen)
    if chosen then show(chosen) end
  end)
end

return M
