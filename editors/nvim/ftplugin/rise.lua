-- Options of buffers that hold RISE, or DPIA: see ftplugin/dpia.lua.

if vim.b.did_ftplugin then return end
vim.b.did_ftplugin = 1

local options = vim.opt_local
options.commentstring = '// %s'
options.comments = 's1:/*,mb:*,ex:*/,:///,://'
-- A line of documentation is usually the only one: what follows it is the definition.
options.formatoptions:append('cql')
options.formatoptions:remove({ 't', 'r', 'o' })
options.iskeyword = '@,48-57,_,192-255'
options.suffixesadd = '.' .. vim.bo.filetype
options.include = [[^\s*import\s\+"\zs[^"]*]]
options.define = [[^\s*\%(foreign\s\+\)\?def\s\+]]
options.expandtab = true
options.shiftwidth = 2
options.softtabstop = 2
options.matchpairs:append('[:]')

vim.b.undo_ftplugin =
  'setlocal commentstring< comments< formatoptions< iskeyword< suffixesadd< include< define< '
  .. 'expandtab< shiftwidth< softtabstop< matchpairs<'

-- Where the parser of tree-sitter is installed, it gives better colours than syntax/*.vim.
if vim.treesitter and vim.treesitter.start then pcall(vim.treesitter.start, 0, vim.bo.filetype) end
