autocmd BufRead,BufNewFile *.dpia setfiletype dpia
