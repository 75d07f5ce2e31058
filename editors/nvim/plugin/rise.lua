-- What is there without setup(): the standard library, and commands.

if vim.g.loaded_rise then return end
vim.g.loaded_rise = 1

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
vim.api.nvim_create_user_command('RiseStatus', function() require('rise-ls').status() end, {
  desc = 'Show what the RISE server says about itself',
})
