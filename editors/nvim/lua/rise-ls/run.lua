--- `:RiseRun`: the definition at the cursor, run by the server; its result stands above it.

local M = {}

local space = vim.api.nvim_create_namespace('rise_run')

--- Cancels the run that has no result yet.
---@type function|nil
local stop

local function seconds(time)
  for _, unit in ipairs({ { 1, 's' }, { 1e-3, 'ms' }, { 1e-6, 'µs' } }) do
    if time >= unit[1] then return ('%.3g %s'):format(time / unit[1], unit[2]) end
  end
  return ('%.3g ns'):format(time / 1e-9)
end

--- `12.3 µs, 250 GFLOP/s, 1500 GB/s, 50% of what copying reaches`
local function times_of(result)
  local times = result.times
  local facts = { seconds(times.median) }
  if type(times.gflops) == 'number' then table.insert(facts, ('%.3g GFLOP/s'):format(times.gflops)) end
  if type(result.device) == 'table' then table.insert(facts, ('%.4g GB/s'):format(times.gigabytes)) end
  if type(result.bandwidth) == 'table' then
    table.insert(facts, ('%.0f%% of what copying reaches'):format(result.bandwidth.share * 100))
  end
  return table.concat(facts, ', ')
end

--- What the times do not count: `2 ms to the device, 3 µs back`
local function transfers_of(result)
  if type(result.transfers) ~= 'table' then return nil end
  return ('not counted: %s to the device, %s back'):format(seconds(result.transfers.up), seconds(result.transfers.down))
end

--- The line of a definition's name and its first line, with annotations and documentation, from 0.
local function lines_of(bufnr, def)
  local lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)
  for at, line in ipairs(lines) do
    if def and line:match('^%s*def%s+([^%s:=]+)') == def then
      local first = at
      while first > 1 and (lines[first - 1]:match('^%s*@') or lines[first - 1]:match('^%s*///')) do first = first - 1 end
      return at - 1, first - 1
    end
  end
end

--- The names of the sizes of a run in the order of their declaration, which a table of Lua does not keep.
local function names_of(sizes, bufnr, def)
  local name = lines_of(bufnr, def)
  local lines = name and vim.api.nvim_buf_get_lines(bufnr, name, -1, false) or {}
  local text = table.concat(lines, '\n')
  local function place(size) return text:find('%f[%w_]' .. vim.pesc(size) .. '%f[^%w_]') or math.huge end
  local names = vim.tbl_keys(sizes)
  table.sort(names, function(a, b)
    local at, other = place(a), place(b)
    return at < other or at == other and a < b
  end)
  return names
end

--- `= 20.0 (12.3 µs, c, n = 4)`
local function line_of(result, bufnr)
  local backend = result.backend
  if type(result.fallback) == 'string' then backend = 'interpreted, not compiled' end
  if type(result.device) == 'table' then backend = ('%s on %s'):format(backend, result.device.name) end
  local facts = { seconds(result.elapsed or 0), backend }
  if type(result.times) == 'table' then facts[1] = times_of(result) end
  if type(result.verify) == 'table' then
    table.insert(facts, result.verify.ok and 'as in the interpreter' or ('WRONG in %d places'):format(result.verify.wrong))
    local special = (result.verify.nan or 0) + (result.verify.infinite or 0)
    if special > 0 then table.insert(facts, ('%d NaN or infinite'):format(special)) end
  end
  local sizes = result.sizes or {}
  for _, name in ipairs(names_of(sizes, bufnr, result.def)) do
    table.insert(facts, ('%s = %d'):format(name, sizes[name]))
  end
  return ('= %s  (%s)'):format((result.text or ''):gsub('%s+', ' '), table.concat(facts, ', '))
end

--- The width of the text in the window that shows a buffer.
local function width_of(bufnr)
  local window = vim.fn.getwininfo(vim.fn.bufwinid(bufnr))[1]
  return window and window.width - (window.textoff or 0) or 80
end

--- A text as lines of at most so many columns, unless a word is longer.
local function wrapped(text, width)
  local lines, line = {}, ''
  for word in text:gmatch('%S+%s*') do
    if line ~= '' and vim.fn.strdisplaywidth(vim.trim(line .. word)) > width then
      table.insert(lines, line)
      line = '  '
    end
    line = line .. word
  end
  return vim.list_extend(lines, { line })
end

--- Puts texts above a definition; below its first line, if that is the first one of the buffer, above
--- which Neovim shows nothing.
local function put(bufnr, name, first, texts)
  local at = first > 0 and first or name
  local lines = {}
  for _, text in ipairs(texts) do
    for _, line in ipairs(wrapped(text, width_of(bufnr))) do table.insert(lines, { { line, 'Comment' } }) end
  end
  pcall(vim.api.nvim_buf_set_extmark, bufnr, space, at, 0, { virt_lines = lines, virt_lines_above = at > 0 })
end

--- What stands above a definition that has run: its result, why it was not compiled, and what the times do not count.
local function texts_of(result, bufnr)
  local texts = { line_of(result, bufnr) }
  if type(result.fallback) == 'string' then
    table.insert(texts, 'not compiled: ' .. result.fallback:gsub('%s+', ' '))
  end
  return vim.list_extend(texts, { transfers_of(result) })
end

--- A text without its end, where that has no room in so many columns.
local function shortened(text, width)
  if vim.fn.strdisplaywidth(text) <= width then return text end
  local length = vim.fn.strchars(text)
  repeat
    length = length - 1
    local begin = vim.fn.strcharpart(text, 0, length)
  until length <= 0 or vim.fn.strdisplaywidth(begin) < width
  return vim.fn.strcharpart(text, 0, length) .. '…'
end

local function show(bufnr, line, result)
  if result.error then
    vim.notify(result.error, vim.log.levels.ERROR)
    return
  end
  if result.printed and result.printed ~= '' then vim.notify(result.printed) end
  if not vim.api.nvim_buf_is_loaded(bufnr) then return end
  local text = line_of(result, bufnr)
  local name, first = lines_of(bufnr, result.def)
  name, first = name or line, first or line
  vim.api.nvim_buf_clear_namespace(bufnr, space, first, name + 1)
  put(bufnr, name, first, texts_of(result, bufnr))
  vim.api.nvim_echo({ { shortened((result.def or '') .. ' ' .. text, vim.v.echospace) } }, true, {})
end

--- The sizes that were given last, which are proposed where some are asked for.
---@type table<string, integer>
local last_sizes = {}

--- Asks for sizes that nobody has said, and gives them to `answered`.
local function ask_sizes(names, answered)
  local proposed = vim.tbl_map(function(name) return ('%s=%d'):format(name, last_sizes[name] or 16) end, names)
  vim.ui.input({ prompt = 'Sizes to run with: ', default = table.concat(proposed, ' ') }, function(text)
    local sizes = {}
    for name, size in (text or ''):gmatch('([%w_]+)%s*=%s*(%d+)') do
      sizes[name] = tonumber(size)
      last_sizes[name] = sizes[name]
    end
    if next(sizes) then answered(sizes) end
  end)
end

--- Runs a definition.
---@param params table what `rise/run` takes
---@param bufnr integer
---@param line integer where the result stands if its definition is not found, from 0
function M.run(params, bufnr, line)
  M.stop()
  params.value = false
  stop = require('rise-ls').ask('rise/run', params, function(problem, result)
    stop = nil
    if problem then
      vim.notify(problem.message or vim.inspect(problem), vim.log.levels.ERROR)
    elseif result and result.missingSizes then
      ask_sizes(result.missingSizes, function(sizes)
        params.sizes = vim.tbl_extend('force', params.sizes or {}, sizes)
        M.run(params, bufnr, line)
      end)
    elseif result then
      show(bufnr, line, result)
    end
  end)
  -- A result belongs to a text.
  vim.api.nvim_create_autocmd({ 'TextChanged', 'TextChangedI' }, {
    buffer = bufnr,
    once = true,
    callback = function() vim.api.nvim_buf_clear_namespace(bufnr, space, 0, -1) end,
  })
end

--- Stops the run that has no result yet.
function M.stop()
  if stop then stop() end
  stop = nil
end

--- `16,16`
local function numbers(text)
  local all = {}
  for number in text:gmatch('%d+') do table.insert(all, tonumber(number)) end
  return all
end

--- Words that begin within brackets belong to the word before: `xs=[1, 2]` is one.
local function joined(words)
  local all, open = {}, 0
  for _, word in ipairs(words) do
    if open > 0 then
      all[#all] = all[#all] .. ' ' .. word
    else
      table.insert(all, word)
    end
    local _, opening = word:gsub('[%(%[]', '')
    local _, closing = word:gsub('[%)%]]', '')
    open = math.max(open + opening - closing, 0)
  end
  return all
end

--- `:RiseRun n=4 xs=[1,2,3,4] backend=c verify`: sizes, arguments, and other parameters of `rise/run`. A whole number is
--- a size; other values are those of arguments.
---@param words string[]
function M.command(words)
  local at = vim.lsp.util.make_position_params(0, 'utf-16')
  local params = { textDocument = at.textDocument, position = at.position, sizes = vim.empty_dict() }
  params.args = vim.empty_dict()
  for _, word in ipairs(joined(words)) do
    local name, value = word:match('^([%w_]+)=(.+)$')
    if word == 'verify' then
      params.verify = true
    elseif name == 'backend' or name == 'device' then
      params[name] = value
    elseif name == 'local' or name == 'global' then
      params[name] = numbers(value)
    elseif name == 'bench' or name == 'seed' then
      params[name] = tonumber(value)
    elseif name and value:match('^%d+$') then
      params.sizes[name] = tonumber(value)
    elseif name then
      params.args[name] = value
    else
      vim.notify('rise-ls: `' .. word .. '` is neither a size (`n=4`) nor an argument (`xs=[1,2]`) nor `backend=…`, `device=…`, `local=…`, `global=…`, `bench=…`, `seed=…`, `verify`')
      return
    end
  end
  M.run(params, vim.api.nvim_get_current_buf(), at.position.line)
end

--- The lens Run.
function M.lens(command, context)
  local place = command.arguments[1]
  local bufnr = context and context.bufnr or vim.api.nvim_get_current_buf()
  local params = { textDocument = { uri = place.uri }, def = place.def, backend = place.backend, bench = place.bench }
  M.run(params, bufnr, place.position.line)
end

--- `:RiseDevice`: which device OpenCL programs are for; asks which if none is named.
---@param part string|nil
function M.device(part)
  local rise = require('rise-ls')
  if part then return rise.set_device(part) end
  rise.ask('rise/devices', vim.empty_dict(), function(problem, result)
    local failed = problem and (problem.message or vim.inspect(problem)) or result and result.error
    if failed then return vim.notify(failed, vim.log.levels.ERROR) end
    local choices = { { name = '', platform = '' } }
    vim.list_extend(choices, result.devices)
    vim.ui.select(choices, {
      prompt = 'The device that OpenCL programs are for',
      format_item = function(device)
        local mark = device.name == rise.device() and ' *' or ''
        if device.name == '' then return 'any' .. mark end
        return ('%s (%s)%s'):format(device.name, device.platform, mark)
      end,
    }, function(device)
      if device then rise.set_device(device.name) end
    end)
  end)
end

return M
