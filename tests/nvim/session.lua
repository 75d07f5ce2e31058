-- A session of a headless Neovim with the server, through Neovim's own LSP client and our plugin:
--
--   RISE_LS=target/debug/rise-ls nvim --clean --headless -c 'luafile tests/nvim/session.lua'
--
-- It opens an example, breaks and mends it, and asks for hover, definitions, a rename, symbols and
-- formatting. Each step prints a line; the exit status is 1 if one fails.

local ROOT = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h:h')
local SERVER = vim.fn.fnamemodify(assert(vim.env.RISE_LS, 'RISE_LS must name the server'), ':p')
local PATIENCE = 20000

local failures = 0

-- Nobody is there to answer a question: without an answer of its own a step fails where the session would wait for ever.
local function unanswered(question) error('the session has no answer to: ' .. tostring(question)) end
vim.ui.select = function(_, options) unanswered(options.prompt) end
vim.ui.input = function(options) unanswered(options.prompt) end

local function say(text) io.stdout:write(text .. '\n') end

local function step(name, check)
  vim.v.errmsg = ''
  local ok, result = pcall(check)
  -- An error in what Neovim calls later, such as the handler of an answer, fails no check by itself.
  if ok and vim.v.errmsg ~= '' then ok, result = false, vim.v.errmsg end
  if not ok then failures = failures + 1 end
  say(('%s %s%s'):format(ok and 'ok  ' or 'FAIL', name, result and ': ' .. tostring(result) or ''))
  return ok
end

-- From 0.10 on functions have other names, from 0.11 on clients are objects.
local function clients(bufnr)
  if vim.lsp.get_clients then return vim.lsp.get_clients({ bufnr = bufnr }) end
  return bufnr and vim.lsp.buf_get_clients(bufnr) or vim.lsp.get_active_clients()
end

local function finish()
  for _, client in pairs(clients()) do
    client.stop(vim.fn.has('nvim-0.11') == 1 and client or nil)
  end
  say(failures == 0 and 'all steps passed' or failures .. ' steps failed')
  vim.cmd(failures == 0 and 'qall!' or 'cquit 1')
end

local function wait(what, condition)
  assert(vim.wait(PATIENCE, condition, 20), 'waited in vain for ' .. what)
end

--- The place of `needle` in the buffer, from 0; of its second occurrence for `nth == 2`.
local function place(needle, nth)
  local seen = 0
  for at, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    local from = 1
    while true do
      local column = line:find(needle, from, true)
      if not column then break end
      seen = seen + 1
      if seen == (nth or 1) then return at - 1, column - 1 end
      from = column + 1
    end
  end
  error('no ' .. needle .. ' in the buffer')
end

local function move(needle, nth)
  local line, column = place(needle, nth)
  vim.api.nvim_win_set_cursor(0, { line + 1, column })
end

--- The only answer to a request at the cursor.
local function ask(method, change)
  local params = vim.lsp.util.make_position_params(0, 'utf-16')
  for key, value in pairs(change or {}) do params[key] = value end
  local answers = assert(vim.lsp.buf_request_sync(0, method, params, PATIENCE), method .. ' was not answered')
  for _, answer in pairs(answers) do
    local problem = answer.err or answer.error
    assert(not problem, problem and problem.message)
    return answer.result
  end
  error(method .. ' was not answered')
end

local function errors()
  return vim.diagnostic.get(0, { severity = vim.diagnostic.severity.ERROR })
end

local function contains(text, part) assert(text:find(part, 1, true), ('%q is not in %q'):format(part, text)) end

-- A copy, since the session changes it.
local folder = vim.fn.tempname()
vim.fn.mkdir(folder, 'p')
local file = folder .. '/gemv.rise'
vim.fn.writefile(vim.fn.readfile(ROOT .. '/examples/linear-algebra/gemv.rise'), file)

-- The server finds these when it starts.
vim.fn.writefile({ 'def shared = 1.0f' }, folder .. '/shared.rise')
vim.fn.writefile({ 'import "shared.rise"', 'def user = shared + shared' }, folder .. '/user.rise')
vim.fn.writefile({ 'val go = topDown(mapFusion)' }, folder .. '/own.elevate')

vim.opt.runtimepath:append(ROOT .. '/editors/nvim')
vim.cmd('runtime! plugin/rise.lua ftdetect/rise.vim ftdetect/elevate.vim')
vim.cmd('filetype plugin on | syntax on')
vim.opt.hidden = true
vim.opt.swapfile = false

local function attached()
  for _, client in pairs(clients(vim.api.nvim_get_current_buf())) do
    if client.name == 'rise_ls' and client.server_capabilities then return client end
  end
end

local served = step('the server attaches', function()
  require('rise-ls').setup({ cmd = { SERVER, '--stdio' } })
  vim.cmd('edit ' .. vim.fn.fnameescape(file))
  assert(vim.bo.filetype == 'rise', 'the file type is ' .. vim.bo.filetype)
  assert(vim.bo.commentstring == '// %s', 'the options are not set')
  assert(vim.b.current_syntax == 'rise', 'the colours are not loaded')
  wait('the client', function() return attached() ~= nil end)
  return vim.inspect(vim.version and { vim.version().major, vim.version().minor, vim.version().patch })
end)

if not served then return finish() end

step('an example has no errors', function()
  -- An answer means that the server has read the text; diagnostics follow at once.
  move('gemvFused')
  ask('textDocument/hover')
  vim.wait(500)
  assert(#errors() == 0, errors()[1] and errors()[1].message)
end)

step('a size that does not fit is reported', function()
  local line = place('zip(mat)(ys) |> map(fun(t => alpha')
  local text = vim.api.nvim_buf_get_lines(0, line, line + 1, false)[1]
  vim.api.nvim_buf_set_lines(0, line, line + 1, false, { (text:gsub('zip%(mat%)%(ys%)', 'zip(mat)(xs)')) })
  wait('a diagnostic', function() return #errors() > 0 end)
  local found = errors()
  assert(#found == 1, ('there are %d errors: %s'):format(#found, vim.inspect(found)))
  assert(found[1].lnum == line, ('the error stands in line %d'):format(found[1].lnum + 1))
  return found[1].message:gsub('\n', ' / ')
end)

step('its error is explained with a right program', function()
  vim.api.nvim_win_set_cursor(0, { errors()[1].lnum + 1, 0 })
  vim.cmd('RiseExplainError')
  local window
  wait('the explanation', function()
    for _, found in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(found).relative ~= '' then window = found end
    end
    return window ~= nil
  end)
  local text = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), '\n')
  vim.api.nvim_win_close(window, true)
  contains(text, 'size-mismatch')
  contains(text, 'Right:')
  assert(not text:find('```', 1, true), 'the marks of a block are shown: ' .. text)
end)

step('and not any more when it is mended', function()
  vim.cmd('silent undo')
  wait('the diagnostic to go', function() return #errors() == 0 end)
end)

step('hover shows the type of a definition', function()
  move('gemvFused(n)')
  local contents = assert(ask('textDocument/hover'), 'there is no hover').contents
  contains(contents.value, 'm.n.f32 -> n.f32 -> m.f32 -> f32 -> f32 -> m.f32')
  contains(contents.value, 'The same in one pass')
end)

step('a definition is found in the file', function()
  move('gemvFused(n)')
  vim.lsp.buf.definition()
  local line = place('def gemvFused')
  wait('the jump', function() return vim.api.nvim_win_get_cursor(0)[1] == line + 1 end)
end)

step('a definition is found in the standard library', function()
  move('dot(row)')
  vim.lsp.buf.definition()
  wait('the jump', function() return vim.api.nvim_buf_get_name(0):find('rise-std:', 1, true) ~= nil end)
  local line = vim.api.nvim_get_current_line()
  assert(line:find('def dot', 1, true), 'the cursor stands in ' .. line)
  assert(vim.bo.readonly and not vim.bo.modifiable and not vim.bo.modified, 'it can be changed')
  assert(vim.bo.filetype == 'rise', 'it has no colours')
  vim.cmd('edit ' .. vim.fn.fnameescape(file))
  return line
end)

if vim.lsp.inlay_hint then
  step('inlay hints are shown', function()
    local hints = {}
    wait('hints', function()
      hints = vim.lsp.inlay_hint.get({ bufnr = 0 })
      return #hints > 0
    end)
    return #hints
  end)
end

step('rename changes the definition and its uses', function()
  move('def gemvFused')
  vim.cmd('normal! w')
  vim.lsp.buf.rename('gemvOnce')
  wait('the rename', function()
    local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
    return text:find('def gemvOnce', 1, true) ~= nil and not text:find('gemvFused', 1, true)
  end)
  place('gemvOnce(n)(m)')
  vim.wait(300)
  assert(#errors() == 0, errors()[1] and errors()[1].message)
end)

step('references and symbols', function()
  move('gemvOnce')
  local references = ask('textDocument/references', { context = { includeDeclaration = true } })
  local symbols = ask('textDocument/documentSymbol')
  assert(#references >= 2, #references .. ' references')
  assert(#symbols >= 5, #symbols .. ' symbols')
  return ('%d and %d'):format(#references, #symbols)
end)

step('completion knows the names in scope', function()
  local line = place('gemvOnce(n)')
  local text = vim.api.nvim_buf_get_lines(0, line, line + 1, false)[1]
  vim.api.nvim_buf_set_lines(0, line, line + 1, false, { (text:gsub('gemvOnce.*', 'gemvO')) })
  local column = #vim.api.nvim_get_current_line()
  local answer = ask('textDocument/completion', { position = { line = line, character = column } })
  local labels = vim.tbl_map(function(item) return item.label end, answer.items or answer)
  assert(vim.tbl_contains(labels, 'gemvOnce'), vim.inspect(labels))
  vim.cmd('silent undo')
end)

step('formatting leaves the meaning alone', function()
  local edits = ask('textDocument/formatting', { options = { tabSize = 2, insertSpaces = true } })
  vim.lsp.util.apply_text_edits(edits or {}, vim.api.nvim_get_current_buf(), 'utf-16')
  vim.wait(300)
  assert(#errors() == 0, errors()[1] and errors()[1].message)
end)

step('an error comes and goes with the text of the file that is imported', function()
  local library, program = folder .. '/library.rise', folder .. '/program.rise'
  vim.fn.writefile({ 'def one = 1.0f' }, library)
  vim.fn.writefile({ 'import "library.rise"', 'def two = one + one' }, program)
  vim.cmd('edit ' .. vim.fn.fnameescape(program))
  local bufnr = vim.api.nvim_get_current_buf()
  local function count() return #vim.diagnostic.get(bufnr, { severity = vim.diagnostic.severity.ERROR }) end
  wait('the client', function() return attached() ~= nil end)
  vim.cmd('edit ' .. vim.fn.fnameescape(library))
  wait('the client', function() return attached() ~= nil end)
  vim.api.nvim_buf_set_lines(0, 0, 1, false, { 'def won = 1.0f' })
  wait('the error', function() return count() > 0 end)
  vim.api.nvim_buf_set_lines(0, 0, 1, false, { 'def one = 1.0f' })
  wait('the error to go', function() return count() == 0 end)
  vim.cmd('silent write')
end)

step('a rename reaches the files of the folder that are not open', function()
  vim.cmd('edit ' .. vim.fn.fnameescape(folder .. '/shared.rise'))
  wait('the client', function() return attached() ~= nil end)
  move('shared')
  wait('the other file', function()
    local edit = ask('textDocument/rename', { newName = 'common' })
    return vim.tbl_count(edit.documentChanges or edit.changes) == 2
  end)
end)

step('lenses come back after a rename of what another file defines', function()
  local function previews()
    return #vim.tbl_filter(function(lens) return lens.command and lens.command.title == 'Run' end, vim.lsp.codelens.get(0))
  end
  vim.cmd('edit ' .. vim.fn.fnameescape(folder .. '/user.rise'))
  wait('the client', function() return attached() ~= nil end)
  wait('the lens', function() return previews() == 1 end)
  move('shared + ')
  vim.lsp.buf.rename('common')
  wait('the rename', function() return pcall(place, 'common + common') end)
  vim.cmd('doautocmd TextChanged')
  vim.wait(1000)
  wait('the lens', function() return previews() == 1 end)
  assert(#errors() == 0, errors()[1] and errors()[1].message)
  vim.cmd('silent wall')
  vim.cmd('edit ' .. vim.fn.fnameescape(folder .. '/shared.rise'))
end)

step('a server that has crashed is started again, and reads what is typed', function()
  local crashed = attached()
  local process = vim.fn.system({ 'pgrep', '-n', '-P', tostring(vim.fn.getpid()), '-x', 'rise-ls' })
  vim.loop.kill(tonumber(process), 9)
  wait('another client', function()
    local client = attached()
    return client and client.id ~= crashed.id
  end)
  vim.api.nvim_buf_set_lines(0, 0, 1, false, { 'def one = won' })
  wait('the error', function() return #errors() > 0 end)
  vim.cmd('silent undo')
  wait('the error to go', function() return #errors() == 0 end)
  vim.cmd('doautocmd TextChanged')
  local function previews()
    return #vim.tbl_filter(function(lens) return lens.command and lens.command.title == 'Preview' end, vim.lsp.codelens.get(0))
  end
  wait('the lenses', function() return previews() > 0 end)
  assert(previews() == 1, 'the lenses of the crashed server stay')
  vim.cmd('edit ' .. vim.fn.fnameescape(file))
  wait('the client', function() return attached() ~= nil end)
  local running = vim.tbl_filter(function(client) return client.name == 'rise_ls' end, vim.tbl_values(clients()))
  assert(#running == 1, #running .. ' servers run')
end)

--- What stands above or below a line, that line, the lines of it, and whether they stand above.
local function result()
  local space = vim.api.nvim_create_namespace('rise_run')
  local marks = vim.api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true })
  if not marks[1] then return nil end
  local details = marks[1][4]
  local lines = vim.tbl_map(function(chunks) return chunks[1][1] end, details.virt_lines)
  return (table.concat(lines):gsub('%s+', ' ')), marks[1][2], lines, details.virt_lines_above
end

step('a definition runs', function()
  local dot = folder .. '/dot.rise'
  vim.fn.writefile({
    '@run(n = 4)',
    'def dot = depFun(n: Nat => fun((xs: n.f32, ys: n.f32) =>',
    '  zip(xs)(ys) |> map(fun(p => p._1 - p._1)) |> reduceSeq(add)(0.0f)))',
  }, dot)
  vim.cmd('edit ' .. vim.fn.fnameescape(dot))
  wait('the client', function() return attached() ~= nil end)
  move('dot')
  vim.cmd('RiseRun backend=interp')
  wait('the result', function() return result() ~= nil end)
  local text, line = result()
  contains(text, '= 0.0')
  contains(text, 'n = 4')
  assert(line == 1, 'it stands above line ' .. line + 1)
  -- From a place further down, and below other text.
  vim.api.nvim_buf_set_lines(0, 0, 0, false, { 'def one = 1.0f', '' })
  vim.cmd('doautocmd TextChanged')
  wait('the result to go', function() return result() == nil end)
  move('zip')
  vim.cmd('RiseRun backend=interp')
  wait('the result', function() return result() ~= nil end)
  _, line = result()
  assert(line == 2, 'it stands above line ' .. line + 1)
  -- In a narrow window it has several lines.
  vim.api.nvim_buf_clear_namespace(0, vim.api.nvim_create_namespace('rise_run'), 0, -1)
  vim.cmd('vsplit | vertical resize 24')
  vim.cmd('RiseRun backend=interp')
  wait('the result', function() return result() ~= nil end)
  local _, _, lines = result()
  vim.cmd('close')
  assert(#lines > 1, 'it is cut off')
  for _, shown in ipairs(lines) do assert(#vim.trim(shown) <= 24, shown) end
  return text
end)

step('sizes of a result stand in the order of their declaration', function()
  local sizes = folder .. '/sizes.rise'
  vim.fn.writefile({
    '@run(k = 2, a = 3, zz = 4, b = 5)',
    'def sizes = depFun((zz: Nat, b: Nat, k: Nat, a: Nat) =>',
    '  fun(xs: zz.f32, ys: b.f32, vs: k.f32, ws: a.f32 => xs |> reduceSeq(add)(0.0f)))',
  }, sizes)
  vim.cmd('edit ' .. vim.fn.fnameescape(sizes))
  wait('the client', function() return attached() ~= nil end)
  move('sizes')
  vim.cmd('RiseRun backend=interp')
  wait('the result', function() return result() ~= nil end)
  contains(result(), 'zz = 4, b = 5, k = 2, a = 3')
  vim.cmd('doautocmd TextChanged')
  -- They are sizes of the program that was run, also where another buffer is shown when the result comes.
  vim.cmd('RiseRun backend=interp')
  vim.cmd('enew')
  local program = vim.fn.bufnr(sizes)
  wait('the result', function() return vim.api.nvim_buf_call(program, result) ~= nil end)
  vim.cmd('buffer ' .. program)
  contains(result(), 'zz = 4, b = 5, k = 2, a = 3')
  vim.cmd('bdelete!')
end)

step('a lens runs a definition', function()
  local lens = folder .. '/lens.rise'
  vim.fn.writefile({ '// Doubles a number.', 'def twice = fun(x: f32 => x * 2.0f)' }, lens)
  vim.cmd('edit ' .. vim.fn.fnameescape(lens))
  wait('the client', function() return attached() ~= nil end)
  local function run()
    local function is_run(found) return found.command and found.command.title == 'Run' end
    return vim.tbl_filter(is_run, vim.lsp.codelens.get(0))[1]
  end
  wait('the lens', function() return run() ~= nil end)
  vim.lsp.commands['rise.run'](run().command, { bufnr = vim.api.nvim_get_current_buf() })
  wait('the result', function() return result() ~= nil end)
  local text, line = result()
  contains(text, '= ')
  assert(line == 1, 'it stands above line ' .. line + 1)
  vim.cmd('bdelete!')
  return text
end)

step('what a run says has room in a line, and why it was interpreted stands above', function()
  local echo, said = vim.api.nvim_echo, {}
  vim.api.nvim_echo = function(chunks) table.insert(said, chunks) end
  local squares = folder .. '/squares.rise'
  vim.fn.writefile({
    '@run(n = 16)',
    'def squares = depFun(n: Nat => fun(xs: n.f32 => xs |> mapSeq(id) |> toMem |> map(fun(x => x * x))))',
  }, squares)
  vim.cmd('edit ' .. vim.fn.fnameescape(squares))
  wait('the client', function() return attached() ~= nil end)
  move('squares')
  vim.cmd('RiseRun xs=[0.5, 1.5, 0.5, 1.5] n=4')
  wait('the result', function() return result() ~= nil end)
  vim.api.nvim_echo = echo
  assert(#said == 1 and #said[1] == 1, vim.inspect(said))
  local line = said[1][1][1]
  contains(line, 'squares = [0.25, 2.25, 0.25, 2.25]')
  assert(not line:find('\n', 1, true) and vim.fn.strdisplaywidth(line) <= vim.v.echospace, line)
  contains(result(), 'not compiled: ')
  vim.cmd('edit ' .. vim.fn.fnameescape(folder .. '/dot.rise'))
end)

step('a preview follows the text', function()
  vim.cmd('RisePreview')
  local function preview()
    for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
      if vim.api.nvim_buf_get_name(bufnr):find('rise-preview:dot (c)', 1, true) then
        return table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false), '\n')
      end
    end
    return ''
  end
  wait('the preview', function() return preview():find('void dot(', 1, true) ~= nil end)
  local line, column = place('- p._1')
  vim.api.nvim_buf_set_text(0, line, column, line, column + 1, { '*' })
  wait('the change', function() return preview():find('xs[i] * xs[i]', 1, true) ~= nil end)
  vim.api.nvim_buf_set_text(0, line, column, line, column + 1, { '* nothing *' })
  wait('the error', function() return preview():find(('// line %d: '):format(line + 1), 1, true) ~= nil end)
  contains(preview(), 'xs[i] * xs[i]')
  vim.api.nvim_buf_set_text(0, line, column, line, column + #'* nothing *', { '*' })
  wait('the preview', function() return preview():find('// line', 1, true) == nil end)
end)

step('a preview follows its definition to another name', function()
  local line, column = place('def dot')
  local function rename(from, to)
    vim.api.nvim_buf_set_text(0, line, column + 4, line, column + 4 + #from, { to })
  end
  local function named(def)
    local name = ('rise-preview:%s (c)'):format(def)
    local function is_it(bufnr) return vim.api.nvim_buf_get_name(bufnr):find(name, 1, true) ~= nil end
    return vim.tbl_filter(is_it, vim.api.nvim_list_bufs())
  end
  rename('dot', 'inner')
  wait('the other name', function() return #named('inner') == 1 end)
  local text = table.concat(vim.api.nvim_buf_get_lines(named('inner')[1], 0, -1, false), '\n')
  contains(text, 'void inner(')
  assert(#named('dot') == 0, 'the former name stays')
  rename('inner', 'dot')
  wait('the former name', function() return #named('dot') == 1 end)
end)

--- The window that shows a buffer with this in its name.
local function window_of(name)
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(window)):find(name, 1, true) then return window end
  end
  error('no window shows ' .. name)
end

step('a preview stands to the right, and its place is marked', function()
  local source, target = vim.api.nvim_get_current_win(), window_of('rise-preview:dot (c)')
  local function column(window) return vim.api.nvim_win_get_position(window)[2] end
  assert(column(source) < column(target), 'the preview stands to the left')
  local space = vim.api.nvim_create_namespace('rise_preview')
  local function marked(window)
    local bufnr = vim.api.nvim_win_get_buf(window)
    local marks = vim.api.nvim_buf_get_extmarks(bufnr, space, 0, -1, { details = true })
    local from, to = marks[1], marks[1] and marks[1][4]
    if not from then return nil end
    return table.concat(vim.api.nvim_buf_get_text(bufnr, from[2], from[3], to.end_row, to.end_col, {}), ' ')
  end
  move('* p._1')
  vim.cmd('doautocmd CursorMoved')
  contains(assert(marked(target), 'nothing is marked in the C'), 'xs[i] * xs[i]')
  vim.api.nvim_set_current_win(target)
  move('for (int')
  vim.cmd('doautocmd CursorMoved')
  contains(assert(marked(source), 'nothing is marked in the program'), 'reduceSeq')
  vim.api.nvim_set_current_win(source)
  vim.cmd('bwipeout ' .. vim.api.nvim_win_get_buf(target))
  assert(marked(source) == nil, 'the mark stays')
end)

step('lenses are there without being asked for, and Lower asks for a target', function()
  local function titles()
    return vim.tbl_map(function(lens) return lens.command and lens.command.title end, vim.lsp.codelens.get(0))
  end
  wait('the lenses', function() return vim.tbl_contains(titles(), 'Lower 1 Pattern…') end)
  local choices
  local select = vim.ui.select
  vim.ui.select = function(items, _, done)
    choices = items
    done('c')
  end
  for _, lens in ipairs(vim.lsp.codelens.get(0)) do
    if lens.command.title:find('Lower', 1, true) then vim.lsp.commands[lens.command.command](lens.command, { bufnr = 0 }) end
  end
  vim.ui.select = select
  assert(vim.deep_equal(choices, { 'c', 'openmp', 'opencl', 'strategy' }), vim.inspect(choices))
  wait('the definition for C', function() return pcall(place, 'def dot_c') end)
  vim.cmd('silent undo')
end)

step('a program that says what and not how is lowered for its preview', function()
  local high = folder .. '/high.rise'
  vim.fn.writefile({ 'def high = fun(xs: 4.f32 => xs |> mapSeq(id) |> toMem |> map(fun(x => x + x)))' }, high)
  vim.cmd('edit ' .. vim.fn.fnameescape(high))
  wait('the client', function() return attached() ~= nil end)
  move('high')
  local asked
  local select = vim.ui.select
  vim.ui.select = function(items, options, done)
    asked = options.prompt
    done(items[1])
  end
  vim.cmd('RisePreview c')
  local window
  wait('the preview', function()
    local ok, found = pcall(window_of, 'rise-preview:high_c (c)')
    window = ok and found
    return ok
  end)
  vim.ui.select = select
  contains(asked, 'high does not say how its patterns are computed')
  local text = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), '\n')
  contains(text, 'void high_c(')
  vim.cmd('bwipeout ' .. vim.api.nvim_win_get_buf(window))
  vim.cmd('silent write')
end)

step('the program after a step has a name, and types', function()
  local two = folder .. '/steps.rise'
  vim.fn.writefile({
    'def two = depFun(n: Nat => fun((xs: n.f32, f: f32 -> f32, g: f32 -> f32) =>',
    '  xs |> map(f) |> map(g)))',
  }, two)
  vim.cmd('edit ' .. vim.fn.fnameescape(two))
  wait('the client', function() return attached() ~= nil end)
  move('two')
  local source = vim.api.nvim_get_current_win()
  vim.cmd('RiseStep topDown(mapFusion)')
  wait('the steps', function() return vim.api.nvim_buf_get_name(0):find('two (steps).rise', 1, true) ~= nil end)
  local steps = vim.api.nvim_get_current_win()
  assert(vim.api.nvim_win_get_position(source)[2] < vim.api.nvim_win_get_position(steps)[2], 'they stand to the left')
  wait('the client', function() return attached() ~= nil end)
  wait('the first step', function()
    return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false)):find('map(f >> g)', 1, true) ~= nil
  end)
  move('two')
  contains(assert(ask('textDocument/hover'), 'there is no hover').contents.value, 'n.f32')
  local space = vim.api.nvim_create_namespace('rise-steps')
  local captions = {}
  for _, found in ipairs(vim.api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true })) do
    if found[4].virt_lines then table.insert(captions, found[4].virt_lines[1][1][1]) end
  end
  assert(vim.deep_equal(captions, { 'step 1 of 1: mapFusion' }), vim.inspect(captions))
  vim.cmd('bwipeout')
end)

step('a strategy that was applied by a command is written down', function()
  move('two')
  vim.cmd('RiseRewrite topDown(mapFusion)')
  wait('the rewrite', function() return pcall(place, 'map(f >> g)') end)
  local notify, said = vim.notify, {}
  vim.notify = function(text) table.insert(said, text) end
  vim.cmd('RiseRecord')
  local steps
  wait('what was recorded', function() return #said > 0 end)
  vim.notify = notify
  contains(said[1], 'strategy.elevate, which is not saved yet')
  wait('the steps', function()
    steps = vim.fn.bufnr(folder .. '/strategy.elevate')
    return steps > 0 and table.concat(vim.api.nvim_buf_get_lines(steps, 0, -1, false)):find('topDown(mapFusion)', 1, true)
  end)
  vim.cmd('bwipeout! ' .. steps)
  vim.fn.delete(folder .. '/strategy.elevate')
  vim.cmd('silent undo')
end)

step('a strategy of a file beside the program is completed and applied by its name', function()
  move('two')
  local found = vim.fn.getcompletion('RiseRewrite go', 'cmdline')
  assert(vim.tbl_contains(found, 'go'), vim.inspect(found))
  local notify, said = vim.notify, {}
  vim.notify = function(text) table.insert(said, text) end
  local function fused() return pcall(place, 'map(f >> g)') end
  local function typed(command)
    vim.cmd(command)
    wait(command, function() return fused() or #said > 0 end)
    assert(fused(), said[1])
  end
  local ok, problem = pcall(function()
    typed('RiseRewrite go')
    vim.cmd('silent undo')
    typed('RiseRewrite try(topDown(etaReduction)) ; go')
    vim.cmd('silent undo')
    typed('RiseStep go')
    vim.cmd('bwipeout')
  end)
  vim.notify = notify
  assert(ok, problem)
end)

step('names of strategies are completed in commands', function()
  local function completed(line) return vim.fn.getcompletion(line, 'cmdline') end
  local found = completed('RiseStep topDown(mapFus')
  assert(vim.tbl_contains(found, 'topDown(mapFusion'), vim.inspect(found))
  assert(vim.tbl_contains(completed('RiseRewrite lowerTo'), 'lowerToC'))
  assert(#completed('RiseWhy lowerToC') == 0, 'a strategy is not a rule')
end)

step('sizes that nobody has said are asked for', function()
  vim.cmd('edit ' .. vim.fn.fnameescape(folder .. '/steps.rise'))
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'def ones = depFun(n: Nat => generate(fun(i: Idx[n] => 1.0f)))' })
  wait('the client', function() return attached() ~= nil end)
  local input, asked = vim.ui.input, nil
  vim.ui.input = function(options, answered)
    asked = options.default
    answered('n=3')
  end
  vim.cmd('RiseRun backend=interp')
  wait('the result', function() return result() ~= nil end)
  vim.ui.input = input
  assert(asked == 'n=16', vim.inspect(asked))
  -- Nothing is shown above the first line of a buffer.
  local text, line, _, above = result()
  contains(text, '[1.0, 1.0, 1.0]')
  assert(line == 0 and not above, 'it is not seen')
  vim.cmd('silent write')
end)

step('a program is typed with its indentation', function()
  vim.cmd('edit ' .. vim.fn.fnameescape(folder .. '/typed.rise'))
  local keys = 'i/// The sum.<CR>def sum = fun(xs: 8.f32 =><CR>xs<CR><Bar>> map(fun(x =><CR>x * x))<CR><Bar>> map(sqrt)<CR>'
    .. '<Bar>> reduce(add)(0.0f)<CR>)<CR><CR>def same = id<Esc>'
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(keys, true, false, true), 'xt', false)
  local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  local expected = {
    '/// The sum.', 'def sum = fun(xs: 8.f32 =>', '  xs', '    |> map(fun(x =>', '      x * x))', '    |> map(sqrt)',
    '    |> reduce(add)(0.0f)', '  )', '', 'def same = id',
  }
  assert(vim.deep_equal(lines, expected), vim.inspect(lines))
  vim.cmd('bwipeout!')
end)

step('help and health know the plugin', function()
  vim.cmd('help :RiseRun')
  assert(vim.bo.filetype == 'help', 'there is no help')
  vim.cmd('helpclose')
  vim.cmd('checkhealth rise-ls')
  local report = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  contains(report, 'rise-ls 0.')
  contains(report, 'it runs in')
  contains(report, 'C compiler')
  vim.cmd('bwipeout!')
end)

step('a file of strategies has its options and colours', function()
  local strategies = folder .. '/low.elevate'
  vim.fn.writefile({
    'rule lower = map(?f) |-> mapSeq(?f)',
    'lower `@` every(isMap) `;` id',
  }, strategies)
  vim.cmd('edit ' .. vim.fn.fnameescape(strategies))
  assert(vim.bo.filetype == 'elevate', 'the file type is ' .. vim.bo.filetype)
  assert(vim.bo.commentstring == '// %s', 'the options are not set')
  assert(vim.b.current_syntax == 'elevate', 'the colours are not loaded')
  local function group(needle, nth)
    local line, column = place(needle, nth)
    return vim.fn.synIDattr(vim.fn.synID(line + 1, column + 1, 1), 'name')
  end
  local colours = {
    group('rule'), group('lower'), group('?f'), group('|->'), group('mapSeq'), group('`@`'), group('every'),
  }
  local expected = {
    'riseDefine', 'riseDefinition', 'elevateMetavariable', 'riseOperator', 'risePrimitive', 'riseOperator',
    'elevateCombinator',
  }
  assert(vim.deep_equal(colours, expected), vim.inspect(colours))
  wait('the client', function() return attached() ~= nil end)
end)

step('maps are fused by a code action, which is explained, written down, and taken back', function()
  local two = folder .. '/two.rise'
  local text = {
    '// Two maps.',
    'def two = depFun(n: Nat => fun((xs: n.f32, f: f32 -> f32, g: f32 -> f32) =>',
    '  xs |> map(f) |> map(g)))',
  }
  vim.fn.writefile(text, two)
  vim.cmd('edit ' .. vim.fn.fnameescape(two))
  wait('the client', function() return attached() ~= nil end)
  local function act(title)
    local client = attached()
    local params = vim.lsp.util.make_range_params(0, 'utf-16')
    params.context = { diagnostics = {} }
    for _, action in ipairs(ask('textDocument/codeAction', params)) do
      if action.title:find(title, 1, true) == 1 then
        local made = action.edit and action or ask('codeAction/resolve', action)
        vim.lsp.util.apply_workspace_edit(made.edit, client.offset_encoding)
        if made.command then vim.lsp.commands[made.command.command](made.command, { bufnr = 0 }) end
        return
      end
    end
    error('no ' .. title)
  end
  local function shown() return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n') end
  move('map(g)')
  act('Fuse maps')
  contains(shown(), 'xs |> map(f >> g)))')
  vim.wait(300)
  vim.cmd('RiseRecord')
  local steps = vim.fn.bufnr(folder .. '/strategy.elevate')
  wait('the steps', function()
    steps = vim.fn.bufnr(folder .. '/strategy.elevate')
    return steps > 0 and #vim.api.nvim_buf_get_lines(steps, 0, -1, false) > 2
  end)
  contains(table.concat(vim.api.nvim_buf_get_lines(steps, 0, -1, false), '\n'), 'topDown(mapFusion)')
  move('map(f')
  act('Undo this rewrite')
  assert(shown() == table.concat(text, '\n'), shown())
end)

step('a kernel stands beside its source', function()
  local shift = folder .. '/shift.rise'
  vim.fn.writefile({
    '@target(opencl)',
    '@opencl(local = [16], global = [n])',
    '@run(n = 64)',
    'def shift = depFun(n: Nat => fun(xs: n.f32 => xs |> mapGlobal(fun(x => x + 1.0f))))',
  }, shift)
  vim.cmd('edit ' .. vim.fn.fnameescape(shift))
  wait('the client', function() return attached() ~= nil end)
  move('shift')
  vim.cmd('RisePreview opencl')
  local filetype
  wait('the preview', function()
    for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
      if vim.api.nvim_buf_get_name(bufnr):find('rise-preview:shift (opencl)', 1, true) then
        filetype = vim.bo[bufnr].filetype
        return table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false), '\n'):find('kernel void shift(', 1, true)
      end
    end
  end)
  assert(filetype == 'opencl' or filetype == 'c', 'its file type is ' .. filetype)
  return filetype
end)

step('and runs on the device that is chosen', function()
  local found = ask('rise/devices')
  local device = found.devices[1]
  if not device then return 'SKIPPED: ' .. found.error end
  vim.cmd('RiseDevice #' .. device.number)
  assert(require('rise-ls').device() == '#' .. device.number, 'the setting is not made')
  vim.cmd('RiseRun backend=opencl bench=2 verify local=8')
  wait('the result', function() return result() ~= nil end)
  local text = result()
  contains(text, 'as in the interpreter')
  contains(text, 'GB/s')
  contains(text, 'opencl on ' .. device.name)
  return text
end)

step('a server that is not there is named when a file is opened', function()
  local notify, said = vim.notify, {}
  vim.notify = function(text) table.insert(said, text) end
  require('rise-ls').setup({ cmd = { '/no/such/rise-ls' } })
  local other = vim.fn.tempname()
  vim.fn.mkdir(other, 'p')
  vim.fn.writefile({ 'def one = 1.0f' }, other .. '/one.rise')
  vim.cmd('edit ' .. vim.fn.fnameescape(other .. '/one.rise'))
  vim.notify = notify
  contains(table.concat(said, '\n'), 'there is no program `/no/such/rise-ls`')
end)

finish()
