-- Indentation of RISE, DPIA and ELEVATE: see lua/rise-ls/indent.lua.

if vim.b.did_indent then return end
vim.b.did_indent = 1

vim.opt_local.indentexpr = "v:lua.require'rise-ls.indent'.level()"
vim.opt_local.indentkeys = '0),0],0},0=|>,o,O'
vim.b.undo_indent = 'setlocal indentexpr< indentkeys<'
