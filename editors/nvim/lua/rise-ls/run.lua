--- `:RiseRun`: the definition at the cursor, run by the server; its result stands behind it.

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

--- `= 20.0 (12.3 µs, c, n = 4)`
local function line_of(result)
  local facts = { seconds(result.elapsed or 0), result.backend }
  if type(result.times) == 'table' then facts[1] = seconds(result.times.median) end
  if type(result.verify) == 'table' then
    table.insert(facts, result.verify.ok and 'as in the interpreter' or ('WRONG in %d places'):format(result.verify.wrong))
  end
  for name, value in pairs(result.sizes or {}) do table.insert(facts, ('%s = %d'):format(name, value)) end
  return ('= %s  (%s)'):format((result.text or ''):gsub('%s+', ' '), table.concat(facts, ', '))
end

local function show(bufnr, line, result)
  if result.error then
    vim.notify(result.error, vim.log.levels.ERROR)
    return
  end
  local text = line_of(result)
  if result.printed and result.printed ~= '' then vim.notify(result.printed) end
  if not vim.api.nvim_buf_is_loaded(bufnr) then return end
  vim.api.nvim_buf_clear_namespace(bufnr, space, line, line + 1)
  pcall(vim.api.nvim_buf_set_extmark, bufnr, space, line, 0, { virt_text = { { text, 'Comment' } } })
  vim.api.nvim_echo({ { (result.def or '') .. ' ' .. text } }, true, {})
end

--- Runs a definition.
---@param params table what `rise/run` takes
---@param bufnr integer
---@param line integer behind which the result stands, from 0
function M.run(params, bufnr, line)
  M.stop()
  params.value = false
  stop = require('rise-ls').ask('rise/run', params, function(problem, result)
    stop = nil
    if problem then
      vim.notify(problem.message or vim.inspect(problem), vim.log.levels.ERROR)
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

--- `:RiseRun n=4 backend=c verify`: sizes, and other parameters of `rise/run`.
---@param words string[]
function M.command(words)
  local at = vim.lsp.util.make_position_params(0, 'utf-16')
  local params = { textDocument = at.textDocument, position = at.position, sizes = vim.empty_dict() }
  for _, word in ipairs(words) do
    local name, value = word:match('^([%w_]+)=(.+)$')
    if word == 'verify' then
      params.verify = true
    elseif name == 'backend' then
      params.backend = value
    elseif name == 'bench' or name == 'seed' then
      params[name] = tonumber(value)
    elseif name and tonumber(value) then
      params.sizes[name] = tonumber(value)
    else
      vim.notify('rise-ls: `' .. word .. '` is neither a size (`n=4`) nor `backend=…`, `bench=…`, `seed=…`, `verify`')
      return
    end
  end
  M.run(params, vim.api.nvim_get_current_buf(), at.position.line)
end

--- The lens Run.
function M.lens(command, context)
  local place = command.arguments[1]
  local bufnr = context and context.bufnr or vim.api.nvim_get_current_buf()
  M.run({ textDocument = { uri = place.uri }, def = place.def }, bufnr, place.position.line)
end

return M
