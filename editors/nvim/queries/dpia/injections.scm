; inherits: rise
