--- `:RisePreview`: what the definition at the cursor becomes, beside its text, while one types.

local M = {}

--- What belongs together in a program and its preview.
local marks = vim.api.nvim_create_namespace('rise_preview')

local FORMS = { 'c', 'openmp', 'opencl', 'opencl-host', 'dpia-imperative', 'dpia', 'rise', 'schedule' }

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
    local message = ('line %d: %s'):format(problem.range.start.line + 1, problem.message)
    for _, line in ipairs(vim.split(message, '\n')) do table.insert(lines, '// ' .. line) end
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

--- The byte of a line at which a UTF-16 unit stands.
local function byte_of(line, unit)
  local byte, seen = 0, 0
  while byte < #line and seen < unit do
    local first = line:byte(byte + 1)
    local width = first < 0x80 and 1 or first < 0xe0 and 2 or first < 0xf0 and 3 or 4
    byte, seen = byte + width, seen + (width == 4 and 2 or 1)
  end
  return byte
end

--- A place of the protocol as row and byte of a buffer, from 0.
local function place_in(bufnr, position)
  local line = vim.api.nvim_buf_get_lines(bufnr, position.line, position.line + 1, false)[1] or ''
  return { position.line, byte_of(line, position.character) }
end

local function before(a, b) return a[1] < b[1] or a[1] == b[1] and a[2] < b[2] end

--- The innermost part that holds a place of one side.
local function innermost(bufnr, map, at, side)
  local best, best_from, best_to
  for _, part in ipairs(map) do
    local from, to = place_in(bufnr, part[side].start), place_in(bufnr, part[side]['end'])
    if not before(at, from) and not before(to, at) then
      if not best or (not before(from, best_from) and not before(best_to, to)) then
        best, best_from, best_to = part, from, to
      end
    end
  end
  return best
end

--- Marks ranges of a buffer, and scrolls its windows to the first of them.
local function mark(bufnr, ranges)
  vim.api.nvim_buf_clear_namespace(bufnr, marks, 0, -1)
  for number, range in ipairs(ranges) do
    local from, to = place_in(bufnr, range.start), place_in(bufnr, range['end'])
    pcall(vim.api.nvim_buf_set_extmark, bufnr, marks, from[1], from[2], {
      end_row = to[1],
      end_col = to[2],
      hl_group = 'LspReferenceText',
    })
    for _, window in ipairs(number == 1 and vim.fn.win_findbuf(bufnr) or {}) do
      local first, last = vim.fn.line('w0', window), vim.fn.line('w$', window)
      if window ~= vim.api.nvim_get_current_win() and (from[1] + 1 < first or from[1] + 1 > last) then
        pcall(vim.api.nvim_win_set_cursor, window, { from[1] + 1, 0 })
      end
    end
  end
end

local function same(a, b)
  return vim.deep_equal(a.start, b.start) and vim.deep_equal(a['end'], b['end'])
end

--- Marks in the other buffers what belongs to the place of the cursor.
function M.moved()
  local current = vim.api.nvim_get_current_buf()
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local at = { row - 1, column }
  vim.api.nvim_buf_clear_namespace(current, marks, 0, -1)
  local own = shown[current]
  if own then
    local source = vim.uri_to_bufnr(own.uri)
    if not vim.api.nvim_buf_is_loaded(source) then return end
    local part = innermost(current, own.map, at, 'target')
    return mark(source, part and { part.source } or {})
  end
  local uri = vim.uri_from_bufnr(current)
  for bufnr, preview in pairs(shown) do
    if preview.uri == uri and vim.api.nvim_buf_is_loaded(bufnr) then
      local part = innermost(current, preview.map, at, 'source')
      local targets = {}
      for _, other in ipairs(part and preview.map or {}) do
        if same(other.source, part.source) then table.insert(targets, other.target) end
      end
      mark(bufnr, targets)
    end
  end
end

local following

--- Follows the cursor from the first preview on.
local function follow()
  if following then return end
  following = vim.api.nvim_create_augroup('rise_preview', { clear = true })
  vim.api.nvim_create_autocmd({ 'CursorMoved', 'CursorMovedI' }, {
    group = following,
    callback = function() if next(shown) then M.moved() end end,
  })
end

local function name_of(def, form) return ('rise-preview:%s (%s)'):format(def, form) end

--- An edit has changed a preview, whose definition may have another name.
function M.changed(problem, result)
  if problem or not result then return end
  local bufnr = find(result.textDocument.uri, result.renamedFrom or result.def, result.as)
  if not bufnr or not vim.api.nvim_buf_is_loaded(bufnr) then return end
  if result.renamedFrom then
    shown[bufnr].def = result.def
    local before = vim.api.nvim_buf_get_name(bufnr)
    pcall(vim.api.nvim_buf_set_name, bufnr, name_of(result.def, result.as))
    -- Neovim keeps the former name as another buffer.
    local former = vim.fn.bufnr('^' .. vim.fn.escape(before, '[]*?{}\\') .. '$')
    if former ~= -1 and former ~= bufnr then pcall(vim.api.nvim_buf_delete, former, { force = true }) end
  end
  fill(bufnr, result)
end

--- Says what made the line under the cursor.
function M.hover()
  local preview = shown[vim.api.nvim_get_current_buf()]
  if not preview then return end
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local at = { row - 1, column }
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

--- Scrolls to the first line that a primitive has made: headers and checks come before it.
local function begin(bufnr)
  local first
  for _, part in ipairs(shown[bufnr].map) do
    local line = part.target.start.line
    if part.origin and part.origin.primitive and (not first or line < first) then first = line end
  end
  if not first then return end
  pcall(vim.api.nvim_win_set_cursor, 0, { first + 1, 0 })
  vim.cmd('normal! zz')
end

local function show(uri, preview)
  local bufnr = find(uri, preview.def, preview.as)
  if not bufnr or not vim.api.nvim_buf_is_loaded(bufnr) then
    bufnr = vim.api.nvim_create_buf(false, true)
    pcall(vim.api.nvim_buf_set_name, bufnr, name_of(preview.def, preview.as))
    vim.bo[bufnr].bufhidden = 'wipe'
    vim.bo[bufnr].swapfile = false
    vim.bo[bufnr].filetype = filetype_of(preview.language)
    shown[bufnr] = { uri = uri, def = preview.def, as = preview.as, map = {} }
    vim.api.nvim_create_autocmd('BufWipeout', {
      buffer = bufnr,
      callback = function()
        local last = shown[bufnr]
        shown[bufnr] = nil
        local source = vim.uri_to_bufnr(uri)
        if vim.api.nvim_buf_is_loaded(source) then vim.api.nvim_buf_clear_namespace(source, marks, 0, -1) end
        local params = { textDocument = { uri = uri }, def = last.def, as = last.as }
        require('rise-ls').tell('rise/previewClosed', params)
      end,
    })
    vim.keymap.set('n', 'K', M.hover, { buffer = bufnr, desc = 'What made this line' })
  end
  fill(bufnr, preview)
  follow()
  if vim.fn.bufwinid(bufnr) == -1 then
    vim.cmd('vertical rightbelow sbuffer ' .. bufnr)
    begin(bufnr)
    vim.cmd('wincmd p')
  end
end

--- Asks whether a definition is to be lowered, and shows what it becomes then.
local function lower(params, preview)
  local choices = { 'Lower and preview', 'Show the errors' }
  local prompt = ('%s does not say how its patterns are computed'):format(preview.def)
  vim.ui.select(choices, { prompt = prompt }, function(choice)
    if choice == choices[1] then
      local at = { textDocument = params.textDocument, def = preview.def, target = preview.lower }
      require('rise-ls.rewrites').lowered(at, function(name)
        M.open({ textDocument = params.textDocument, def = name, as = preview.as })
      end)
    elseif choice then
      show(params.textDocument.uri, preview)
    end
  end)
end

--- Shows a definition in a form.
---@param params table what `rise/preview` takes
function M.open(params)
  require('rise-ls').ask('rise/preview', params, function(problem, result)
    if problem then
      vim.notify(problem.message or vim.inspect(problem), vim.log.levels.ERROR)
    elseif result and result.lower then
      lower(params, result)
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

--- The forms, for completion: also those after each pass of the compiler, such as `c:loops`.
function M.forms()
  local forms = vim.list_extend({}, FORMS)
  for target, passes in pairs(require('rise-ls').passes()) do
    if not vim.tbl_contains(forms, target) then table.insert(forms, target) end
    for _, pass in ipairs(passes) do table.insert(forms, target .. ':' .. pass) end
  end
  return forms
end

return M
