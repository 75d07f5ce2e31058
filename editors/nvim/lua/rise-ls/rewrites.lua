--- Code actions that need more than an edit: arguments that are asked for, definitions lowered for a
--- target, steps written down, and what a rewrite did.

local M = {}

local ENCODING = 'utf-16'

--- The last rewrite that was chosen, as the server names it.
---@type table|nil
local last

local function there(value) return value ~= nil and value ~= vim.NIL end

--- Asks the server, and goes on with its answer.
local function ask(method, params, answered)
  require('rise-ls').ask(method, params, function(problem, result)
    if problem then
      vim.notify(problem.message or vim.inspect(problem), vim.log.levels.ERROR)
    elseif result then
      answered(result)
    end
  end)
end

--- Applies the edit of an answer, or says why there is none.
local function apply(result)
  if there(result.edit) then vim.lsp.util.apply_workspace_edit(result.edit, ENCODING) end
  if there(result.message) then vim.notify(result.message) end
end

--- A rewrite was chosen: `:RiseRecord` writes it down.
---@param step table
function M.taken(step) last = step end

--- `:RiseRecord`
function M.record()
  if not last then return vim.notify('no rewrite was chosen yet') end
  local params = { textDocument = { uri = last.uri }, def = last.def, step = last.step }
  ask('rise/record', params, function(result)
    apply(result)
    local is_saved = not vim.bo[vim.uri_to_bufnr(result.uri)].modified
    local rest = is_saved and '' or ', which is not saved yet: `:wall` saves it'
    vim.notify(('recorded %s in %s%s'):format(last.step, vim.uri_to_fname(result.uri), rest))
  end)
end

--- `:RiseExplain`
function M.explain()
  local at = vim.lsp.util.make_position_params(0, ENCODING)
  ask('rise/explain', { textDocument = at.textDocument, position = at.position }, function(result)
    local lines = { '# ' .. result.title, '', ('`%s`'):format(result.strategy) }
    for _, step in ipairs(result.steps) do
      vim.list_extend(lines, { '', ('**%s**'):format(step.rule) })
      if not step.housekeeping then
        local function shown(text)
          vim.list_extend(lines, { '```rise' })
          vim.list_extend(lines, vim.split(text, '\n'))
          vim.list_extend(lines, { '```' })
        end
        shown(step.before)
        shown(step.after)
      end
      for _, assumption in ipairs(step.assumptions) do
        table.insert(lines, ('assumes `%s`'):format(assumption))
      end
    end
    vim.lsp.util.open_floating_preview(lines, 'markdown', { focus_id = 'rise-explain' })
  end)
end

--- The strategy with values for its parameters.
local function filled(strategy, values)
  return (strategy:gsub('{([%w_]+)}', values))
end

--- An order of loops, chosen from the outermost in.
local function order(loops, chosen, done)
  if #chosen == #loops then return done(('[%s]'):format(table.concat(chosen, ', '))) end
  local left = {}
  for number = 1, #loops do
    if not vim.tbl_contains(chosen, number) then table.insert(left, number) end
  end
  local function choose(number)
    if number then order(loops, vim.list_extend(chosen, { number }), done) end
  end
  if #left == 1 then return choose(left[1]) end
  vim.ui.select(left, {
    prompt = #chosen == 0 and 'The outermost loop' or 'The next loop',
    format_item = function(number)
      local loop = loops[number]
      return ('%s: %s%s'):format(loop.name, loop.size, loop.reduces and ', reduction' or '')
    end,
  }, choose)
end

--- Asks for the arguments of a strategy that the server offered, and applies it.
---@param asked table
function M.apply_with(asked)
  local values = {}
  local function next_one(at)
    local parameter = asked.parameters[at]
    if not parameter then
      local from = there(asked.from) and asked.from or nil
      return ask('rise/strategyApply', {
        textDocument = { uri = asked.uri },
        def = asked.def,
        strategy = filled(asked.strategy, values),
        from = from,
      }, function(result)
        apply(result)
        local step = filled(asked.strategy, values)
        if there(result.edit) and not from then
          last = { uri = asked.uri, def = asked.def, step = step }
        end
      end)
    end
    local function given(value)
      if not value or value == '' then return end
      values[parameter.name] = value
      next_one(at + 1)
    end
    if #asked.loops > 0 then return order(asked.loops, {}, given) end
    vim.ui.input({ prompt = ('%s (%s): '):format(parameter.name, parameter.type) }, given)
  end
  next_one(1)
end

--- The name of the last definition that an edit writes.
local function defined_in(edit)
  local name
  local function look(edits)
    for _, one in ipairs(edits) do
      for found in ('\n' .. one.newText):gmatch('\ndef%s+([%w_]+)') do name = found end
    end
  end
  for _, edits in pairs(edit.changes or {}) do look(edits) end
  for _, document in ipairs(edit.documentChanges or {}) do look(document.edits or {}) end
  return name
end

--- Puts a definition for a target behind the one that it comes from, and goes on with its name.
---@param params table what `rise/lower` takes
function M.lowered(params, done)
  ask('rise/lower', params, function(result)
    apply(result)
    local name = there(result.edit) and defined_in(result.edit)
    if name then done(name) end
  end)
end

--- Puts a definition for a target behind the one that it comes from; asks for a target if none is named.
---@param at table
function M.lower(at)
  if not there(at.target) then
    local targets = { 'c', 'openmp', 'opencl', 'strategy' }
    local names = { c = 'C', openmp = 'OpenMP', opencl = 'OpenCL', strategy = 'by a strategy …' }
    local known = vim.tbl_keys(require('rise-ls').passes())
    table.sort(known)
    for _, target in ipairs(known) do
      if not names[target] then table.insert(targets, target) end
    end
    return vim.ui.select(targets, {
      prompt = ('Lower %s for'):format(at.def),
      format_item = function(target) return names[target] or target end,
    }, function(target)
      if target == 'strategy' then return M.rewrite_at(at) end
      if target then M.lower(vim.tbl_extend('force', at, { target = target })) end
    end)
  end
  ask('rise/lower', {
    textDocument = { uri = at.uri },
    position = at.position,
    target = at.target,
  }, apply)
end

--- Asks for a strategy for the definition that a lens is about.
---@param at table
function M.rewrite_at(at)
  if at.position then
    -- The name begins there; columns are counted in bytes, and a definition's first ones are ASCII.
    vim.api.nvim_win_set_cursor(0, { at.position.line + 1, at.position.character })
  end
  require('rise-ls.strategies').rewrite()
end

return M
