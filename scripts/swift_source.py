"""What the checking scripts know about Swift text: where its comments and strings are."""

from pathlib import Path


def swift_files(folder):
    """Every Swift file under `folder`, sorted, build products left out."""
    return sorted(
        path
        for path in Path(folder).rglob("*.swift")
        if not any(part.startswith(".") or part == "build" for part in path.parts[1:])
    )


def blank(text, keep_strings=False):
    """`text` with comments (and strings, unless kept) turned into spaces.

    Offsets and line numbers stay as they are, so that a match in the result can be named by its
    place in the file. Bare regex literals (`/…/`) are not known here; the package does not use them.
    """
    out = list(text)
    index = 0
    while index < len(text):
        end, is_comment = _trivia_end(text, index)
        if end is None:
            index += 1
            continue
        if is_comment or not keep_strings:
            for at in range(index, end):
                if out[at] != "\n":
                    out[at] = " "
        index = end
    return "".join(out)


def line_of(text, offset):
    """The number of the line, from 1, in which `offset` stands."""
    return text.count("\n", 0, offset) + 1


def non_blank_lines(text):
    """How many lines hold something other than white space."""
    return sum(1 for line in text.splitlines() if line.strip())


def closing(code, index):
    """The place of the bracket that closes the one at `index`."""
    depth = 0
    for at in range(index, len(code)):
        if code[at] in "([{":
            depth += 1
        elif code[at] in ")]}":
            depth -= 1
            if depth == 0:
                return at
    return len(code)


def _trivia_end(text, index):
    """The end of the comment or string that begins at `index`, and whether it is a comment."""
    if text.startswith("//", index):
        end = text.find("\n", index)
        return (len(text) if end < 0 else end), True
    if text.startswith("/*", index):
        return _block_comment_end(text, index), True
    if text[index] == "#" and (index == 0 or text[index - 1] != "#"):
        hashes = len(text[index:]) - len(text[index:].lstrip("#"))
        if text.startswith('"', index + hashes):
            return _string_end(text, index + hashes, hashes), False
    if text[index] == '"':
        return _string_end(text, index, 0), False
    return None, False


def _block_comment_end(text, index):
    depth = 0
    while index < len(text):
        if text.startswith("/*", index):
            depth, index = depth + 1, index + 2
        elif text.startswith("*/", index):
            depth, index = depth - 1, index + 2
            if depth == 0:
                return index
        else:
            index += 1
    return len(text)


def _string_end(text, index, hashes):
    quote = '"""' if _opens_lines(text, index, hashes) else '"'
    close, escape = quote + "#" * hashes, "\\" + "#" * hashes
    index += len(quote)
    while index < len(text):
        if text.startswith(close, index):
            return index + len(close)
        if text.startswith(escape, index):
            index += len(escape)
            index = _interpolation_end(text, index) if text[index : index + 1] == "(" else index + 1
        elif quote == '"' and text[index] == "\n":
            return index
        else:
            index += 1
    return len(text)


def _opens_lines(text, index, hashes):
    """Whether the quotes at `index` open a string of several lines: `#""""#` is one of two quotes on one."""
    if not text.startswith('"""', index):
        return False
    line = text[index:].partition("\n")[0]
    return hashes == 0 or '"' + "#" * hashes not in line[2:]


def _interpolation_end(text, index):
    depth = 0
    while index < len(text):
        end, _ = _trivia_end(text, index)
        if end is not None:
            index = end
            continue
        depth += {"(": 1, ")": -1}.get(text[index], 0)
        index += 1
        if depth == 0:
            return index
    return len(text)
