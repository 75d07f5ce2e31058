-- Found by `vim.lsp.enable('rise_ls')` of Neovim 0.11 and later.
return {
  cmd = { 'rise-ls', '--stdio' },
  filetypes = { 'rise', 'dpia', 'elevate' },
  root_markers = { '.git', '.hg', 'README.md' },
  root_dir = function(bufnr, done) return require('rise-ls').root_dir(bufnr, done) end,
  capabilities = {
    experimental = {
      rise = {
        commands = {
          'rise.run',
          'rise.preview',
          'rise.record',
          'rise.applyWith',
          'rise.lower',
          'rise.applyStrategy',
        },
      },
    },
  },
  before_init = function(params) require('rise-ls').before_init(params) end,
  on_exit = function(...) require('rise-ls').on_exit(...) end,
  handlers = {
    ['rise/previewChanged'] = function(...) return require('rise-ls.preview').changed(...) end,
  },
}
