"""Small experiments that documents tell of and no sweep can do."""
