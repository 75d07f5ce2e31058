--- `:RiseRewrite`, `:RiseStep`, `:RiseWhy`: strategies of ELEVATE for the definition at the cursor.

local M = {}

local ENCODING = 'utf-16'

--- Which program is stepped through, by the buffer that shows it.
---@type table<integer, table>
local shown = {}

local marks = vim.api.nvim_create_namespace('rise-steps')

local function complain(problem)
  vim.notify(problem.message or vim.inspect(problem), vim.log.levels.ERROR)
end

--- Asks the server, and goes on with its answer.
local function ask(method, params, answered)
  require('rise-ls').ask(method, params, function(problem, result)
    if problem then
      complain(problem)
    elseif result then
      answered(result)
    end
  end)
end

--- A strategy as it is written, where nothing has to be given to it.
local function written(strategy)
  local name = strategy.name:match('^[%a_][%w_]*$') and strategy.name or ('`%s`'):format(strategy.name)
  local lists = {}
  for _, list in ipairs(strategy.parameters) do
    local names = {}
    for _, parameter in ipairs(list) do
      if not parameter.optional then table.insert(names, parameter.name) end
    end
    if #names > 0 then table.insert(lists, ('(%s)'):format(table.concat(names, ', '))) end
  end
  return name .. table.concat(lists), #lists > 0
end

--- A strategy in a list of choices. Titles have parameters in braces.
local function line(strategy)
  local title = type(strategy.title) == 'string' and ': ' .. strategy.title:gsub('{(%w+)}', '%1') or ''
  return written(strategy) .. title
end

--- Strategies of the workspace first, then those of the library, rules last.
local function ordered(strategies)
  local groups = { {}, {}, {} }
  for _, strategy in ipairs(strategies) do
    table.insert(groups[not strategy.library and 1 or strategy.rule and 3 or 2], strategy)
  end
  return vim.list_extend(vim.list_extend(groups[1], groups[2]), groups[3])
end

--- Lets the user choose a strategy; what it takes is written into the line.
local function choose(at, purpose, wanted, chosen)
  ask('rise/strategies', { textDocument = at.textDocument, position = at.position }, function(result)
    local all = ordered(vim.tbl_filter(wanted, result.strategies))
    local prompt = ('%s %s'):format(purpose, result.def)
    vim.ui.select(all, { prompt = prompt, format_item = line }, function(strategy)
      if not strategy then return end
      local text, has_parameters = written(strategy)
      local from = not strategy.library and strategy.uri or nil
      if not has_parameters and not strategy.rule then return chosen(text, result.def, from) end
      if strategy.rule and purpose ~= 'Why not' then text = ('topDown(%s)'):format(text) end
      vim.ui.input({ prompt = 'strategy: ', default = text }, function(input)
        if input and input ~= '' then chosen(input, result.def, from) end
      end)
    end)
  end)
end

local function any() return true end

local function here() return vim.lsp.util.make_position_params(0, ENCODING) end

--- The words that a strategy may go on with, for completion of a command's arguments.
---@param lead string what stands before the cursor, from the last blank on
---@param wanted function|nil which strategies are offered
---@return string[]
function M.complete(lead, wanted)
  local at = here()
  local params = { textDocument = at.textDocument, position = at.position }
  local result = require('rise-ls').ask_now('rise/strategies', params)
  local head, word = lead:match('^(.-)([%w_]*)$')
  local names = {}
  for _, strategy in ipairs(ordered(vim.tbl_filter(wanted or any, result and result.strategies or {}))) do
    if vim.startswith(strategy.name, word) then table.insert(names, head .. strategy.name) end
  end
  return names
end

--- Rules, for completion.
function M.complete_rule(lead)
  return M.complete(lead, function(strategy) return strategy.rule end)
end

--- What the requests are told of a strategy on a definition.
local function about(at, text, from)
  return { textDocument = at.textDocument, position = at.position, strategy = text, from = from }
end

--- Applies a strategy to a definition that is known by its name, or makes the first steps of it.
local function apply(params)
  ask('rise/strategyApply', params, function(result)
    local function is_there(value) return value ~= nil and value ~= vim.NIL end
    if is_there(result.edit) then
      vim.lsp.util.apply_workspace_edit(result.edit, ENCODING)
      -- A part of a strategy has no name of its own, and one of another file is not in scope where steps are recorded.
      if not params.step and not params.from then
        local taken = { uri = params.textDocument.uri, def = params.def, step = params.strategy }
        require('rise-ls.rewrites').taken(taken)
      end
    end
    if is_there(result.message) then vim.notify(result.message) end
  end)
end

--- The file of the workspace in whose words a strategy is written: the one that defines its first name that the library
--- does not define.
---@return string|nil uri
local function origin(text, strategies)
  local shipped, own = {}, {}
  for _, strategy in ipairs(strategies) do
    if strategy.library then
      shipped[strategy.name] = true
    elseif type(strategy.uri) == 'string' then
      own[strategy.name] = own[strategy.name] or strategy.uri
    end
  end
  for name in text:gmatch('[%a_][%w_]*') do
    if own[name] and not shipped[name] then return own[name] end
  end
end

--- Asks which definition stands at the cursor and where a strategy that was typed comes from, and goes on with both.
local function resolve(at, text, resolved)
  ask('rise/strategies', { textDocument = at.textDocument, position = at.position }, function(result)
    resolved(text, result.def, origin(text, result.strategies))
  end)
end

--- `:RiseRewrite [STRATEGY]`
---@param text string|nil
function M.rewrite(text)
  local at = here()
  local function rewrite(strategy, def, from)
    apply({ textDocument = at.textDocument, def = def, strategy = strategy, from = from })
  end
  if not text or text == '' then return choose(at, 'Rewrite', any, rewrite) end
  resolve(at, text, rewrite)
end

--- Where the steps stop: behind each, with the normal forms that follow it.
local function stops(steps)
  local found = { 0 }
  for number, step in ipairs(steps) do
    if step.housekeeping and #found > 1 then
      found[#found] = number
    elseif not step.housekeeping then
      table.insert(found, number)
    end
  end
  if #found == 1 and #steps > 0 then table.insert(found, #steps) end
  return found
end

--- The step that the program is after, and its rule.
local function caption(result)
  local number, all, last = 0, 0, nil
  for at, step in ipairs(result.steps) do
    if not step.housekeeping then
      all = all + 1
      if at <= result.step then
        number, last = all, step
      end
    end
  end
  local text = ('step %d of %d'):format(number, all)
  if not last then return text end
  local assumed = #last.assumptions > 0 and ', assumes ' .. table.concat(last.assumptions, ', ') or ''
  return ('%s: %s%s'):format(text, last.rule, assumed)
end

local function fill(bufnr, result)
  local state = shown[bufnr]
  state.result = result
  if type(result.text) == 'string' then
    vim.bo[bufnr].modifiable = true
    vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, vim.split(result.text, '\r?\n'))
    vim.bo[bufnr].modifiable = false
  end
  vim.api.nvim_buf_clear_namespace(bufnr, marks, 0, -1)
  local place = type(result.changed) == 'table' and result.changed or result.place
  if type(place) ~= 'table' then return end
  local first, last = place.start.line, place['end'].line
  for line = first, last do
    if type(result.changed) == 'table' then
      vim.api.nvim_buf_add_highlight(bufnr, marks, 'DiffAdd', line, 0, -1)
    end
  end
  -- Behind a long line it would not be seen; above the first line of a buffer Neovim shows nothing.
  local note = { { caption(result), 'Comment' } }
  pcall(vim.api.nvim_buf_set_extmark, bufnr, marks, first, 0, { virt_lines = { note }, virt_lines_above = first > 0 })
  for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
    pcall(vim.api.nvim_win_set_cursor, window, { first + 1, 0 })
  end
  if type(result.failure) == 'table' and result.step == #result.steps then
    vim.notify(result.failure.message, vim.log.levels.WARN)
  end
end

--- Shows the next or the previous step.
local function move(bufnr, way)
  local state = shown[bufnr]
  if not state then return end
  local all = stops(state.result.steps)
  local target, since
  for index, stop in ipairs(all) do
    if way > 0 and not target and stop > state.result.step then
      target, since = stop, all[index - 1]
    elseif way < 0 and stop < state.result.step then
      target, since = stop, all[index - 1] or 0
    end
  end
  if not target then return end
  local params = vim.tbl_extend('force', state.params, { step = target, since = since })
  ask('rise/strategySteps', params, function(result)
    if shown[bufnr] then fill(bufnr, result) end
  end)
end

--- Makes the steps that are shown.
local function apply_so_far(bufnr)
  local state = shown[bufnr]
  if not state then return end
  local is_whole = state.result.step == #state.result.steps
  local params = vim.tbl_extend('force', state.params, is_whole and {} or { step = state.result.step })
  vim.cmd('bwipeout ' .. bufnr)
  apply(params)
end

--- The URI of the steps of a definition, which stand beside its file: there their imports are found.
local function uri_of(params)
  local folder = params.textDocument.uri:match('^file://(.*)/[^/]*$') or ''
  return ('rise-step://%s/%s (steps).rise'):format(folder, params.def)
end

local function open(params, result)
  local name = uri_of(params)
  local old = vim.fn.bufnr(name)
  if old > 0 then vim.cmd('bwipeout ' .. old) end
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(bufnr, name)
  vim.bo[bufnr].bufhidden = 'wipe'
  vim.bo[bufnr].swapfile = false
  vim.bo[bufnr].filetype = 'rise'
  shown[bufnr] = { params = params, result = result }
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = bufnr,
    callback = function() shown[bufnr] = nil end,
  })
  local function key(keys, description, act)
    vim.keymap.set('n', keys, act, { buffer = bufnr, desc = description })
  end
  key(']s', 'Next step', function() move(bufnr, 1) end)
  key('[s', 'Previous step', function() move(bufnr, -1) end)
  key('<CR>', 'Apply up to here', function() apply_so_far(bufnr) end)
  vim.cmd('vertical rightbelow sbuffer ' .. bufnr)
  fill(bufnr, result)
  require('rise-ls').attach_to(bufnr)
  move(bufnr, 1)
end

local function step(params, def)
  local first = vim.tbl_extend('force', params, { step = 0, since = 0 })
  ask('rise/strategySteps', first, function(result)
    if #result.steps == 0 then
      local failed = type(result.failure) == 'table' and result.failure.message
      vim.notify(failed or ('the strategy leaves %s as it is'):format(def or result.def))
      return
    end
    -- The cursor moves with the user: from here on the definition is known by its name.
    open({
      textDocument = params.textDocument,
      def = result.def,
      strategy = params.strategy,
      from = params.from,
    }, result)
  end)
end

--- `:RiseStep [STRATEGY]`: `]s` and `[s` go on and back, Return applies what is shown.
---@param text string|nil
function M.step(text)
  local at = here()
  local function step_through(strategy, def, from) step(about(at, strategy, from), def) end
  if text and text ~= '' then return resolve(at, text, step_through) end
  choose(at, 'Step through a strategy for', any, step_through)
end

--- `:RiseWhy [RULE]`
---@param text string|nil
function M.why(text)
  local at = here()
  local function explain(rule)
    local place = { start = at.position, ['end'] = at.position }
    ask('rise/why', { textDocument = at.textDocument, range = place, rule = rule }, function(result)
      local lines = vim.split(result.message, '\n')
      for _, way in ipairs(result.enabledBy) do
        table.insert(lines, ('- after %s (`%s`)'):format(way.title, way.strategy))
      end
      vim.lsp.util.open_floating_preview(lines, 'markdown', { focusable = false })
    end)
  end
  if text and text ~= '' then return explain(text) end
  choose(at, 'Why not', function(strategy) return strategy.rule end, explain)
end

return M
