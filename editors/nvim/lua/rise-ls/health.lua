--- `:checkhealth rise-ls`: the server, the client, and what the machine has for running programs.

local M = {}

-- From 0.10 on the functions have shorter names.
local health = vim.health or require('health')
local start = health.start or health.report_start
local ok = health.ok or health.report_ok
local warn = health.warn or health.report_warn
local fail = health.error or health.report_error
local info = health.info or health.report_info

--- Checks the version of Neovim.
local function check_editor()
  start('rise-ls: Neovim')
  if vim.fn.has('nvim-0.7') == 0 then return fail('Neovim 0.7 or later is needed') end
  ok('Neovim is new enough')
  if vim.lsp.inlay_hint == nil then info('this Neovim shows no inlay hints: 0.10 and later do') end
  for _, language in ipairs({ 'rise', 'dpia', 'elevate' }) do
    local found = #vim.api.nvim_get_runtime_file('parser/' .. language .. '.so', false) > 0
    info(found and ('colours of %s come from its grammar'):format(language)
      or ('colours of %s come from syntax/%s.vim; the README says how to build its grammar'):format(language, language))
  end
end

--- Checks the server, and returns its program.
local function check_server()
  start('rise-ls: server')
  local state = require('rise-ls').health()
  local program = state.cmd[1]
  if vim.fn.executable(program) == 0 then
    fail(('there is no program `%s`'):format(program), {
      'Build it: cargo install --path crates/rise-ls',
      "Or say where it is: require('rise-ls').setup({ cmd = { '/path/to/rise-ls', '--stdio' } })",
    })
    return nil
  end
  ok(vim.trim(vim.fn.system({ program, '--version' })) .. ': ' .. vim.fn.exepath(program))
  if state.running then
    ok('it runs in ' .. (state.running.root or 'a single file'))
  else
    warn('it does not run', { "Call require('rise-ls').setup(), and open a file of RISE, DPIA or ELEVATE" })
  end
  return program
end

--- Shows what `rise-ls doctor` says of the machine.
local function check_machine(program)
  start('rise-ls: machine')
  for _, line in ipairs(vim.split(vim.fn.system({ program, 'doctor' }), '\n')) do
    if line ~= '' then info(line) end
  end
end

function M.check()
  check_editor()
  local program = check_server()
  if program then check_machine(program) end
end

return M
