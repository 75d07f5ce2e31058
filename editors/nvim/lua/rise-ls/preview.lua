--- `:RisePreview`: what the definition at the cursor becomes, beside its text, while one types.

local M = {}

local FORMS = { 'c', 'openmp', 'opencl', 'opencl-host', 'dpia-imperative', 'dpia', 'rise' }

--- What Neovim calls a language: OpenCL is C for one without it.
local function filetype_of(language)
  if language ~= 'opencl' then return language end
  return vim.fn.globpath(vim.o.runtimepath, 'syntax/opencl.vim') ~= '' and 'opencl' or 'c'
end

--- What is shown, by buffer.
---@type table<integer, table>
local shown = {}

local function find(uri, def, form)
  for bufnr, preview in pairs(shown) do
    if preview.uri == uri and preview.def == def and preview.as == form then return bufnr end
  end
end

--- The text; while the program has errors they stand above the last text.
local function lines_of(preview, before)
  if #preview.errors == 0 then return vim.split(preview.text, '\n') end
  local lines = {}
  for _, problem in ipairs(preview.errors) do
    for _, line in ipairs(vim.split(problem.message, '\n')) do table.insert(lines, '// ' .. line) end
  end
  vim.list_extend(lines, { '' })
  return vim.list_extend(lines, vim.split(before or '', '\n'))
end

local function fill(bufnr, preview)
  local last = shown[bufnr]
  local failed = #preview.errors > 0
  local lines = lines_of(preview, last.text)
  if not failed then last.text = preview.text end
  last.map = failed and {} or preview.map
  vim.bo[bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].modifiable = false
end

--- An edit has changed a preview.
function M.changed(problem, result)
  local bufnr = not problem and result and find(result.textDocument.uri, result.def, result.as)
  if bufnr and vim.api.nvim_buf_is_loaded(bufnr) then fill(bufnr, result) end
end

--- Says what made the line under the cursor.
function M.hover()
  local preview = shown[vim.api.nvim_get_current_buf()]
  if not preview then return end
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local at = { row - 1, column }
  local function before(a, b) return a[1] < b[1] or a[1] == b[1] and a[2] < b[2] end
  local function place(position) return { position.line, position.character } end
  local by, done
  -- Parts stand in the order of the text, those around others first.
  for _, part in ipairs(preview.map) do
    local from, to = place(part.target.start), place(part.target['end'])
    if part.origin and not before(at, from) and before(at, to) then
      if part.origin.primitive then by = part end
      if part.origin.passes then done = part end
    end
  end
  local lines = {}
  if by then
    local where = by.origin.definition and (' in `%s`, used'):format(by.origin.definition) or ''
    table.insert(lines, ('`%s`%s (line %d)'):format(by.origin.primitive, where, by.source.start.line + 1))
  end
  for _, pass in ipairs(done and done.origin.passes or {}) do table.insert(lines, '- ' .. pass) end
  if #lines > 0 then vim.lsp.util.open_floating_preview(lines, 'markdown', { focusable = false }) end
end

local function show(uri, preview)
  local bufnr = find(uri, preview.def, preview.as)
  if not bufnr or not vim.api.nvim_buf_is_loaded(bufnr) then
    bufnr = vim.api.nvim_create_buf(false, true)
    pcall(vim.api.nvim_buf_set_name, bufnr, ('rise-preview:%s (%s)'):format(preview.def, preview.as))
    vim.bo[bufnr].bufhidden = 'wipe'
    vim.bo[bufnr].swapfile = false
    vim.bo[bufnr].filetype = filetype_of(preview.language)
    shown[bufnr] = { uri = uri, def = preview.def, as = preview.as, map = {} }
    vim.api.nvim_create_autocmd('BufWipeout', {
      buffer = bufnr,
      callback = function()
        shown[bufnr] = nil
        local params = { textDocument = { uri = uri }, def = preview.def, as = preview.as }
        require('rise-ls').tell('rise/previewClosed', params)
      end,
    })
    vim.keymap.set('n', 'K', M.hover, { buffer = bufnr, desc = 'What made this line' })
  end
  fill(bufnr, preview)
  if vim.fn.bufwinid(bufnr) == -1 then
    vim.cmd('vertical sbuffer ' .. bufnr)
    vim.cmd('wincmd p')
  end
end

--- Shows a definition in a form.
---@param params table what `rise/preview` takes
function M.open(params)
  require('rise-ls').ask('rise/preview', params, function(problem, result)
    if problem then
      vim.notify(problem.message or vim.inspect(problem), vim.log.levels.ERROR)
    elseif result then
      show(params.textDocument.uri, result)
    end
  end)
end

--- `:RisePreview [FORM]`
---@param form string|nil
function M.command(form)
  local at = vim.lsp.util.make_position_params(0, 'utf-16')
  M.open({ textDocument = at.textDocument, position = at.position, as = form or FORMS[1] })
end

--- The lens Preview.
function M.lens(command)
  local place = command.arguments[1]
  local form = type(place.target) == 'string' and place.target or 'c'
  M.open({ textDocument = { uri = place.uri }, def = place.def, as = form })
end

--- The forms, for completion.
function M.forms() return FORMS end

return M
