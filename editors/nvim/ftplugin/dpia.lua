-- DPIA is written as RISE is.

vim.cmd('runtime! ftplugin/rise.lua')
