autocmd BufRead,BufNewFile *.elevate setfiletype elevate
