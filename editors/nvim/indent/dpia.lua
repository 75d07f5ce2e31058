-- Lines are indented as those of RISE.

vim.cmd('runtime! indent/rise.lua')
