autocmd BufRead,BufNewFile *.rise setfiletype rise
