-- ELEVATE is written as RISE is, but for the words of its definitions.

if vim.b.did_ftplugin then return end
vim.cmd('runtime! ftplugin/rise.lua')

vim.opt_local.define =
  [[^\s*\%(unsafe\s\+\)\?\%(rule\|strategy\|def\|val\|pred\|normalform\|tune\)\s\+]]
