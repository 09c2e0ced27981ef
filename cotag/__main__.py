from cotag.cli import main

main()
