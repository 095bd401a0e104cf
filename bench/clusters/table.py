"""A table in its two forms: text and Markdown. The first column is to the left, all others to the right."""


class Table:
    def __init__(self, title, heads, rows):
        self.title, self.heads, self.rows = title, heads, rows

    def text(self):
        lines = [self.heads, *self.rows]
        widths = [max(len(line[column]) for line in lines) for column in range(len(self.heads))]
        return "\n".join([self.title, *(padded(line, widths) for line in lines)])

    def markdown(self):
        heads = ["| " + " | ".join(self.heads) + " |", "| --- |" + " ---: |" * (len(self.heads) - 1)]
        rows = ["| " + " | ".join(row) + " |" for row in self.rows]
        return "\n".join([self.title, "", *heads, *rows, ""])


def padded(line, widths):
    first, *others = line
    cells = [first.ljust(widths[0]),
             *(cell.rjust(width) for cell, width in zip(others, widths[1:]))]
    return "  ".join(cells).rstrip()
