--- Starts rise-ls for buffers of RISE, DPIA and ELEVATE. Works from Neovim 0.7 on; what newer ones offer is used there.
---
---   require('rise-ls').setup({ cmd = { 'rise-ls' }, on_attach = function(client, bufnr) end })

local M = {}

---@class rise.Options
---@field cmd string[]            the server
---@field settings table          `{ rise = { inlayHints = { … }, device = '' } }`
---@field on_attach function|nil  called with the client and the buffer
---@field capabilities table|nil  what the client says it can do
---@field handlers table|nil      handlers of its own
---@field inlay_hints boolean     whether hints are shown, where Neovim can
---@field code_lens boolean       whether lenses are kept up to date
---@field root_markers string[]   what stands in the folder of a project
---@type rise.Options
local defaults = {
  cmd = { 'rise-ls', '--stdio' },
  settings = {
    rise = {
      inlayHints = {
        parameters = true,
        definitions = true,
        pipelines = true,
        accessFlow = 'compact',
        values = false,
        implicitArguments = false,
        barriers = true,
        maxLength = 40,
      },
      diagnostics = { obligations = true },
      lens = { run = true, preview = true, lower = true },
      -- A part of the name of the device that OpenCL programs are for.
      device = '',
    },
  },
  inlay_hints = true,
  code_lens = true,
  root_markers = { '.git', '.hg', 'README.md' },
}

local LIBRARY = 'rise-std:'

local FILETYPES = { 'rise', 'dpia', 'elevate' }

---@type rise.Options
local options = defaults

--- Clients by the folder of their project.
---@type table<string, integer>
local clients = {}

local function warn(message) vim.notify('rise-ls: ' .. message, vim.log.levels.WARN) end

--- Whether a buffer holds what the server reads.
local function is_served(bufnr)
  return vim.api.nvim_buf_is_loaded(bufnr) and vim.tbl_contains(FILETYPES, vim.bo[bufnr].filetype)
end

local function is_library(name) return name:find(LIBRARY, 1, true) ~= nil end

--- The nearest folder above the file of a buffer that holds one of the markers, or the file's own.
local function root_of(bufnr, markers)
  local name = vim.api.nvim_buf_get_name(bufnr)
  local folder = name ~= '' and vim.fn.fnamemodify(name, ':p:h') or vim.loop.cwd()
  local at = folder
  while true do
    for _, marker in ipairs(markers) do
      if vim.loop.fs_stat(at .. '/' .. marker) then return at end
    end
    local above = vim.fn.fnamemodify(at, ':h')
    if above == at then return folder end
    at = above
  end
end

-- From 0.11 on clients are objects, whose functions take them first.
local IS_OBJECT = vim.fn.has('nvim-0.11') == 1

--- `client:name(…)`, as this Neovim wants it.
local function call(client, name, ...)
  if IS_OBJECT then return client[name](client, ...) end
  return client[name](...)
end

--- The clients of a buffer.
local function clients_of(bufnr)
  if vim.lsp.get_clients then return vim.lsp.get_clients({ bufnr = bufnr }) end
  return vim.lsp.buf_get_clients(bufnr)
end

--- All clients.
local function all_clients()
  if vim.lsp.get_clients then return vim.lsp.get_clients() end
  return vim.lsp.get_active_clients()
end

--- A running server: that of the buffer, or else any.
local function running()
  for _, found in ipairs({ clients_of(vim.api.nvim_get_current_buf()), all_clients() }) do
    for _, client in pairs(found) do
      if client.name == 'rise_ls' and not call(client, 'is_stopped') then return client end
    end
  end
end

local function show_hints(client, bufnr)
  local hints = vim.lsp.inlay_hint
  if not (options.inlay_hints and hints and client.server_capabilities.inlayHintProvider) then
    return
  end
  -- 0.10 has the buffer in a table, the versions before it took it first.
  if not pcall(hints.enable, true, { bufnr = bufnr }) then pcall(hints.enable, bufnr, true) end
end

-- For how many milliseconds diagnostics have to stay as they are before lenses are asked for.
local QUIET_MS = 100

--- Asks for lenses now, and whenever the text or what the server reports of it has changed: that of a file changes with
--- the files that it imports.
local function show_lenses(client, bufnr)
  local lens = vim.lsp.codelens
  if not (options.code_lens and lens and client.server_capabilities.codeLensProvider) then return end
  if lens.enable then return lens.enable(true, { bufnr = bufnr }) end
  -- For lenses of a buffer that is gone by now, `refresh` of early versions of Neovim is an error.
  local function show(problem, result, context, ...)
    if vim.api.nvim_buf_is_valid(bufnr) then lens.on_codelens(problem, result, context, ...) end
  end
  local function refresh()
    if vim.fn.bufwinid(bufnr) == -1 or call(client, 'is_stopped') then return end
    local params = { textDocument = { uri = vim.uri_from_bufnr(bufnr) } }
    call(client, 'request', 'textDocument/codeLens', params, show, bufnr)
  end
  local group = vim.api.nvim_create_augroup('rise_lenses_' .. bufnr, { clear = true })
  vim.api.nvim_create_autocmd({ 'BufEnter', 'InsertLeave', 'TextChanged' }, {
    group = group,
    buffer = bufnr,
    callback = refresh,
  })
  local reports = 0
  vim.api.nvim_create_autocmd('DiagnosticChanged', {
    group = group,
    buffer = bufnr,
    callback = function()
      reports = reports + 1
      local report = reports
      vim.defer_fn(function()
        -- While one types, lenses stay where they are.
        local is_typing = vim.api.nvim_get_mode().mode:sub(1, 1) == 'i'
        if report == reports and not is_typing then refresh() end
      end, QUIET_MS)
    end,
  })
  refresh()
end

local function on_attach(client, bufnr)
  if vim.fn.exists('+tagfunc') == 1 and vim.lsp.tagfunc then
    vim.bo[bufnr].tagfunc = 'v:lua.vim.lsp.tagfunc'
  end
  if vim.lsp.omnifunc then vim.bo[bufnr].omnifunc = 'v:lua.vim.lsp.omnifunc' end
  show_hints(client, bufnr)
  show_lenses(client, bufnr)
  if options.on_attach then options.on_attach(client, bufnr) end
end

--- Whether this Neovim starts servers by `lsp/*.lua` files.
local function has_native_config() return vim.lsp.config ~= nil and vim.lsp.enable ~= nil end

--- Attaches a server to every buffer that it serves.
local function attach_all()
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if is_served(bufnr) then M.attach(bufnr) end
  end
end

-- How often a server that has crashed is started again, and within how many milliseconds.
local CRASHES = 5
local WITHIN_MS = 3 * 60 * 1000

local SIGTERM = 15

--- When servers have crashed.
---@type integer[]
local crashes = {}

--- Starts a server again that has crashed. It does not wait for the user: once a buffer has changed while it has
--- no server, Neovim tells none of its later changes to any server.
local function restart_crashed(code, signal)
  local is_crash = code ~= 0 or (signal ~= 0 and signal ~= SIGTERM)
  if not is_crash or vim.v.exiting ~= vim.NIL then return end
  local now = vim.loop.now()
  crashes = vim.tbl_filter(function(time) return now - time < WITHIN_MS end, crashes)
  table.insert(crashes, now)
  if #crashes < CRASHES then return attach_all() end
  warn(('the server stopped %d times within three minutes; :RiseRestart starts it again'):format(CRASHES))
end

--- What `vim.lsp.commands` has for the server.
local COMMANDS = {
  'rise.run',
  'rise.preview',
  'rise.record',
  'rise.applyWith',
  'rise.lower',
  'rise.applyStrategy',
}

--- What the client says it can do: it has commands for the lenses of definitions.
local function capabilities()
  local own = { experimental = { rise = { commands = COMMANDS } } }
  return vim.tbl_deep_extend('force', options.capabilities or vim.lsp.protocol.make_client_capabilities(), own)
end

--- Lets the server send diagnostics, unless this Neovim asks again when the server says that they have changed:
--- those of a file change with the files that it imports, and with what its strategies say.
---@param params table what `initialize` takes
function M.before_init(params)
  local said = params.capabilities
  if not vim.tbl_get(said, 'workspace', 'diagnostics', 'refreshSupport') then
    said.textDocument.diagnostic = nil
  end
end

--- Handlers of the user's own come first.
local function handlers()
  local own = { ['rise/previewChanged'] = require('rise-ls.preview').changed }
  return vim.tbl_extend('force', own, options.handlers or {})
end

--- Takes the lenses of a client away, which early versions of Neovim keep when it has ended.
local function drop_lenses(id)
  local lens = vim.lsp.codelens
  if not lens or lens.enable then return end
  if lens.clear then return lens.clear(id) end
  local shown = vim.api.nvim_create_namespace('vim_lsp_codelens:' .. id)
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if is_served(bufnr) then
      lens.save({}, bufnr, id)
      vim.api.nvim_buf_clear_namespace(bufnr, shown, 0, -1)
    end
  end
end

--- A server has ended. Neovim forgets its client right after this.
---@param code integer
---@param signal integer
---@param id integer of the client
function M.on_exit(code, signal, id)
  vim.schedule(function()
    vim.schedule(function()
      drop_lenses(id)
      restart_crashed(code, signal)
    end)
  end)
end

--- What the client is started with.
local function config(root)
  return {
    name = 'rise_ls',
    cmd = options.cmd,
    root_dir = root,
    settings = options.settings,
    handlers = handlers(),
    capabilities = capabilities(),
    before_init = M.before_init,
    on_exit = M.on_exit,
    workspace_folders = { { uri = vim.uri_from_fname(root), name = root } },
    on_attach = on_attach,
  }
end

--- The command that starts the server: where Neovim starts servers itself, that of its configuration.
local function command()
  local native = has_native_config() and vim.lsp.config.rise_ls or {}
  return type(native.cmd) == 'table' and native.cmd or options.cmd
end

--- Whether there is a program to start. If not, a message says so.
local function has_program()
  local program = command()[1]
  if vim.fn.executable(program) == 1 then return true end
  warn(('there is no program `%s`: install it, or name it in setup({ cmd = … })'):format(program))
  return false
end

--- Says why no server answers.
local function explain_absence()
  if has_program() then warn('the server does not run; :RiseRestart starts it') end
end

local function start(root)
  local id = clients[root]
  local client = id and vim.lsp.get_client_by_id(id)
  if client and not call(client, 'is_stopped') then return id end
  if not has_program() then return nil end
  id = vim.lsp.start_client(config(root))
  clients[root] = id
  return id
end

--- Starts the server that Neovim itself would start for a buffer, so that new buffers have the same.
local function start_native(bufnr)
  if not has_program() then return nil end
  local found = vim.deepcopy(vim.lsp.config.rise_ls)
  local root = found.root_dir or vim.fs.root(bufnr, found.root_markers or {})
  local function start_in(folder)
    found.root_dir = folder
    return vim.lsp.start(found, { bufnr = bufnr })
  end
  if type(root) == 'function' then return root(bufnr, start_in) end
  return start_in(root)
end

--- The folder of a project, for Neovim 0.11 and later. A file that no marker stands above has one too: without it
--- the server would rename in open files only.
---@param bufnr integer
---@param done fun(folder: string|nil)
function M.root_dir(bufnr, done)
  local folder = root_of(bufnr, vim.lsp.config.rise_ls.root_markers or options.root_markers)
  -- Nobody's project is all that they have.
  return done(folder ~= vim.loop.os_homedir() and folder or nil)
end

--- Attaches a server to a buffer, and starts it if it does not run.
---@param bufnr integer|nil
---@return integer|nil id of the client
function M.attach(bufnr)
  bufnr = (bufnr == nil or bufnr == 0) and vim.api.nvim_get_current_buf() or bufnr
  local name = vim.api.nvim_buf_get_name(bufnr)
  if vim.bo[bufnr].buftype ~= '' or is_library(name) then return nil end
  if has_native_config() then return start_native(bufnr) end
  local id = start(root_of(bufnr, options.root_markers))
  if id then vim.lsp.buf_attach_client(bufnr, id) end
  return id
end

--- Lets the running server read a buffer that has no file: the program after the steps of a strategy.
---@param bufnr integer
function M.attach_to(bufnr)
  local client = running()
  if client then vim.lsp.buf_attach_client(bufnr, client.id) end
end

--- What is known of the server, for `:checkhealth`.
function M.health()
  local client = running()
  return {
    cmd = command(),
    native = vim.lsp.config ~= nil and vim.lsp.enable ~= nil,
    running = client and { root = client.config.root_dir } or nil,
  }
end

--- Fills a buffer with a file of the standard library, which lives inside the server.
---@param bufnr integer
---@param uri string
function M.read_library(bufnr, uri)
  local client = running()
  if not client then
    warn('the standard library is in the server, which does not run')
    return
  end
  local answer, problem = call(client, 'request_sync', 'rise/virtualDocument', { uri = uri }, 5000, bufnr)
  local result = answer and answer.result
  if not result then
    warn(('%s cannot be read: %s'):format(uri, vim.inspect(answer and answer.err or problem)))
    return
  end
  vim.bo[bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, vim.split(result.text, '\r?\n'))
  vim.bo[bufnr].modified = false
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].readonly = true
  vim.bo[bufnr].buftype = 'nofile'
  vim.bo[bufnr].swapfile = false
  vim.bo[bufnr].filetype = uri:match('%.elevate$') and 'elevate' or 'rise'
end

--- `lastEditToDiagnosticsMicros` and its value in words; a method's name stays as it is.
local function described(name, value)
  if type(value) == 'number' and name:match('Bytes$') then value = ('%.1f MiB'):format(value / 1048576) end
  if type(value) == 'number' and name:match('Micros$') then value = ('%.2f ms'):format(value / 1000) end
  if not name:find('/', 1, true) then
    name = name:gsub('Bytes$', ''):gsub('Micros$', ''):gsub('%u', function(letter) return ' ' .. letter:lower() end)
  end
  return ('%s: %s'):format(name, tostring(value))
end

--- The lines of a status: tables are indented, and what is absent is left out.
local function status_lines(status, indent)
  local lines, names = {}, vim.tbl_keys(status)
  table.sort(names)
  for _, name in ipairs(names) do
    local value = status[name]
    if type(value) == 'table' then
      local inner = status_lines(value, indent .. '  ')
      if #inner > 0 then vim.list_extend(vim.list_extend(lines, { indent .. name .. ':' }), inner) end
    elseif value ~= vim.NIL then
      table.insert(lines, indent .. described(name, value))
    end
  end
  return lines
end

--- Shows what the server says about itself.
function M.status()
  local client = running()
  if not client then return explain_absence() end
  call(client, 'request', 'rise/status', {}, function(problem, result)
    if problem then return warn(problem.message or vim.inspect(problem)) end
    vim.notify(table.concat(status_lines(result, ''), '\n'))
  end)
end

--- Asks the server of the current buffer; `answered(problem, result)` comes later.
---@return function|nil cancels the request
function M.ask(method, params, answered)
  local client = running()
  if not client then
    explain_absence()
    return nil
  end
  local _, id = call(client, 'request', method, params, answered)
  return function() if id then call(client, 'cancel_request', id) end end
end

--- Asks the server of the current buffer, and waits for its answer.
---@return any|nil nothing if it fails
function M.ask_now(method, params)
  local client = running()
  local answer = client and call(client, 'request_sync', method, params, 2000, vim.api.nvim_get_current_buf())
  return answer and answer.result
end

--- The names of the passes of each target, in order; none if no server runs.
---@return table<string, string[]>
function M.passes()
  local client = running()
  local announced = client and client.server_capabilities.experimental
  return announced and announced.risePasses or {}
end

--- Sets the device that OpenCL programs are for: a part of its name; any if it is empty.
---@param part string
function M.set_device(part)
  options.settings.rise = vim.tbl_extend('force', options.settings.rise or {}, { device = part })
  for _, client in pairs(all_clients()) do
    if client.name == 'rise_ls' and not call(client, 'is_stopped') then
      -- The server asks for settings where the client has them, and these are what it is given.
      client.config.settings = options.settings
      if client.settings then client.settings = options.settings end
      call(client, 'notify', 'workspace/didChangeConfiguration', { settings = options.settings })
    end
  end
end

--- The device that is set.
function M.device() return (options.settings.rise or {}).device or '' end

--- Says something to the server, if it runs.
function M.tell(method, params)
  local client = running()
  if client then call(client, 'notify', method, params) end
end

--- Stops the servers and starts them again for the buffers that they had.
function M.restart()
  for _, client in pairs(all_clients()) do
    if client.name == 'rise_ls' then call(client, 'stop') end
  end
  clients = {}
  crashes = {}
  vim.defer_fn(attach_all, 200)
end

--- Serves every buffer of RISE, DPIA and ELEVATE from now on.
---@param chosen rise.Options|nil
function M.setup(chosen)
  options = vim.tbl_deep_extend('force', defaults, chosen or {})
  local group = vim.api.nvim_create_augroup('rise_ls', { clear = true })
  if has_native_config() then
    vim.lsp.config('rise_ls', {
      cmd = options.cmd,
      settings = options.settings,
      handlers = handlers(),
      capabilities = capabilities(),
      before_init = M.before_init,
      on_exit = M.on_exit,
      root_markers = options.root_markers,
      root_dir = M.root_dir,
      on_attach = on_attach,
    })
    vim.lsp.enable('rise_ls')
    -- Neovim says nothing if there is no such program.
    vim.api.nvim_create_autocmd('FileType', {
      group = group,
      pattern = FILETYPES,
      once = true,
      callback = function() has_program() end,
    })
    return
  end
  vim.api.nvim_create_autocmd('FileType', {
    group = group,
    pattern = FILETYPES,
    callback = function(event) M.attach(event.buf) end,
  })
  attach_all()
end

return M
