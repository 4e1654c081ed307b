"""`python -m ifonly` is the command `ifonly`."""

from ifonly.cli import main

if __name__ == "__main__":
    main()
