-- What is there without setup(): the standard library, and commands.

if vim.g.loaded_rise then return end
vim.g.loaded_rise = 1

-- Plugin managers make the tags of the help. Where there is none, they are made here.
local doc = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h') .. '/doc'
if vim.fn.filereadable(doc .. '/tags') == 0 and vim.fn.filewritable(doc) == 2 then
  pcall(vim.cmd, 'helptags ' .. vim.fn.fnameescape(doc))
end

local group = vim.api.nvim_create_augroup('rise_library', { clear = true })
vim.api.nvim_create_autocmd('BufReadCmd', {
  group = group,
  -- Before 0.11 a name without `//` is no URL to Neovim, which puts the current folder in front.
  pattern = { 'rise-std:/*', '*/rise-std:/*' },
  callback = function(event)
    require('rise-ls').read_library(event.buf, event.match:match('rise%-std:.*$'))
  end,
})

vim.api.nvim_create_user_command('RiseRestart', function() require('rise-ls').restart() end, {
  desc = 'Restart the RISE server',
})
vim.api.nvim_create_user_command('RiseRun', function(command)
  require('rise-ls.run').command(command.fargs)
end, { nargs = '*', desc = 'Run the RISE definition at the cursor: RiseRun n=4 xs=[1,2] backend=c verify' })
vim.api.nvim_create_user_command('RiseDevice', function(command)
  require('rise-ls.run').device(command.args ~= '' and command.args or nil)
end, { nargs = '?', desc = 'Choose the device that OpenCL programs are for, by a part of its name' })
vim.api.nvim_create_user_command('RiseStop', function() require('rise-ls.run').stop() end, {
  desc = 'Stop the RISE program that runs',
})
vim.api.nvim_create_user_command('RisePreview', function(command)
  require('rise-ls.preview').command(command.args ~= '' and command.args or nil)
end, {
  nargs = '?',
  complete = function(lead)
    return vim.tbl_filter(function(form) return vim.startswith(form, lead) end, require('rise-ls.preview').forms())
  end,
  desc = 'Show what the RISE definition at the cursor becomes',
})
if vim.lsp.commands then
  vim.lsp.commands['rise.run'] = function(...) require('rise-ls.run').lens(...) end
  vim.lsp.commands['rise.preview'] = function(...) require('rise-ls.preview').lens(...) end
  for name, what in pairs({
    ['rise.record'] = 'taken',
    ['rise.applyWith'] = 'apply_with',
    ['rise.lower'] = 'lower',
    ['rise.applyStrategy'] = 'rewrite_at',
  }) do
    vim.lsp.commands[name] = function(command)
      require('rise-ls.rewrites')[what]((command.arguments or {})[1] or {})
    end
  end
end
vim.api.nvim_create_user_command('RiseStatus', function() require('rise-ls').status() end, {
  desc = 'Show what the RISE server says about itself',
})
for name, what in pairs({
  RiseExplainError = { 'errors', 'explain', 'Explain the error in the line of the cursor' },
  RiseRewrite = { 'strategies', 'rewrite', 'Apply a strategy to the RISE definition at the cursor', 'complete' },
  RiseStep = { 'strategies', 'step', 'Step through a strategy for the RISE definition at the cursor', 'complete' },
  RiseRecord = { 'rewrites', 'record', 'Record the last rewrite in strategy.elevate, beside the program' },
  RiseExplain = { 'rewrites', 'explain', 'Show what the rewrite at the cursor did, step by step' },
  RiseWhy = { 'strategies', 'why', 'Say why a rule does not apply at the cursor', 'complete_rule' },
}) do
  vim.api.nvim_create_user_command(name, function(command)
    require('rise-ls.' .. what[1])[what[2]](command.args)
  end, {
    nargs = '?',
    desc = what[3],
    complete = what[4] and function(lead) return require('rise-ls.' .. what[1])[what[4]](lead) end,
  })
end
