/** Texts that were sent with other white space than the file has: which rule finds them, and what becomes of the file. */
export interface WhitespaceCase {
  name: string
  /** Whose rules: see whitespace.test.ts. Default `polyfs`. */
  by?: 'polyfs' | 'clarvis' | 'replay'
  text: string
  find: string
  replace: string
  rule?: string
  result?: string
  /** Instead of a result: the places that can't be distinguished, or the cause given for finding nothing. */
  ambiguous?: number[]
  cause?: string
}

export const whitespaceCases: WhitespaceCase[] = [
  // Exact and line endings.
  { name: 'exact text needs no tolerance', text: 'a\n  b\nc\n', find: '  b', replace: '  B', rule: 'exact', result: 'a\n  B\nc\n' },
  { name: 'an exact match wins over places that match loosely', text: '  foo\n    foo x\nfoo\n', find: 'foo x', replace: 'bar', rule: 'exact', result: '  foo\n    bar\nfoo\n' },
  { name: 'LF sent for a CRLF file', text: 'one\r\ntwo\r\nthree\r\n', find: 'one\ntwo', replace: '1\n2\n2b', rule: 'line-endings', result: '1\r\n2\r\n2b\r\nthree\r\n' },
  { name: 'CRLF sent for an LF file', text: 'one\ntwo\nthree\n', find: 'one\r\ntwo', replace: '1\r\n2', rule: 'line-endings', result: '1\n2\nthree\n' },
  { name: 'LF sent for a CR file', text: 'one\rtwo\rthree', find: 'one\ntwo', replace: '1\n2', rule: 'line-endings', result: '1\r2\rthree' },
  { name: 'CRLF sent for a CRLF file is exact, and so is the replacement', text: 'a\r\nb\r\nc\n', find: 'a\r\nb\r\n', replace: 'a\nb\n', rule: 'exact', result: 'a\nb\nc\n' },
  { name: 'mixed endings inside the match stay line by line', text: 'a\r\nb\nc\r\nd\n', find: 'a\nb\nc\n', replace: 'A\nB\nC\n', rule: 'line-endings', result: 'A\r\nB\nC\r\nd\n' },
  { name: 'a line put between lines of mixed endings takes its neighbour’s', text: 'a\r\nb\nc\n', find: 'a\nb\nc', replace: 'a\nnew\nb\nc', rule: 'line-endings', result: 'a\r\nnew\r\nb\nc\n' },
  { name: 'two places that differ in endings only are two places', text: 'x\ny\n-\nx\r\ny\r\n', find: 'x\ny', replace: 'z', ambiguous: [1, 4] },
  { name: 'one line sent, several put into a CRLF file', text: 'a\r\nb\r\n', find: 'b', replace: 'b\nc', rule: 'exact', result: 'a\r\nb\r\nc\r\n' },
  { name: 'several lines put into a text of one line stay as sent', text: 'ab', find: 'b', replace: 'x\r\ny', rule: 'exact', result: 'ax\r\ny' },

  // Indentation: the same block, further in or out.
  { name: 'a block copied without its indent', text: 'def f():\n    if x:\n        y()\n    z()\n', find: 'if x:\n    y()', replace: 'if q:\n    y()', rule: 'indentation', result: 'def f():\n    if q:\n        y()\n    z()\n' },
  { name: 'a block copied with too much indent', text: 'if x:\n    y()\n', find: '        if x:\n            y()', replace: '        if x:\n            z()', rule: 'indentation', result: 'if x:\n    z()\n' },
  { name: 'new lines go as deep as the file has it', text: '    if x:\n        y()\n', find: 'if x:\n    y()', replace: 'if x:\n    y()\n    if z:\n        w()', rule: 'indentation', result: '    if x:\n        y()\n        if z:\n            w()\n' },
  { name: 'blank lines are equal, whatever they hold', text: '  a\n   \n  b\n', find: 'a\n\nb', replace: 'a\n\nc', rule: 'indentation', result: '  a\n   \n  c\n' },
  { name: 'the final line ending stays when the new text has none', text: '  a\n  b\nc\n', find: 'a\nb\n', replace: 'x', rule: 'indentation', result: '  x\nc\n' },
  { name: 'the final line ending is not doubled when the new text has one', text: '  a\n  b\nc\n', find: 'a\nb', replace: 'x\ny\n', rule: 'indentation', result: '  x\n  y\nc\n' },
  { name: 'removing whole lines removes their ending', text: '  a\n  b\nc\n', find: 'a\nb\n', replace: '', rule: 'indentation', result: 'c\n' },
  { name: 'at the end of a file without a final line ending', text: 'x\n\ta\n\tb', find: 'a\nb', replace: 'a\nB', rule: 'indentation', result: 'x\n\ta\n\tB' },
  { name: 'in a CRLF file', text: 'x\r\n\ta\r\n\tb\r\ny\r\n', find: 'a\nb', replace: 'a\nB\nC', rule: 'indentation', result: 'x\r\n\ta\r\n\tB\r\n\tC\r\ny\r\n' },
  { name: 'two such blocks are ambiguous', text: 'def a():\n    x()\n    return 1\ndef b():\n    x()\n    return 1\n', find: 'x()\nreturn 1', replace: 'y()', ambiguous: [2, 5] },
  { name: 'the stricter rule decides though a looser one would find more', text: '  a\n  b\n--\n  a  \n  b\n', find: 'a\nb', replace: 'X', rule: 'indentation', result: '  X\n--\n  a  \n  b\n' },
  { name: 'a line that is only repeated keeps its tabs', text: '\t\tone\n\t\ttwo\n', find: '    one\n    two', replace: '    one\n    2', rule: 'indentation', result: '\t\tone\n\t\t2\n' },

  // Tabs never become spaces, nor spaces tabs.
  { name: 'Go with tabs, sent with four spaces', text: 'func f() {\n\tif x {\n\t\ty()\n\t}\n}\n', find: '    if x {\n        y()\n    }', replace: '    if x {\n        y()\n        z()\n    }', rule: 'trimmed-lines', result: 'func f() {\n\tif x {\n\t\ty()\n\t\tz()\n\t}\n}\n' },
  { name: 'Go with tabs, sent with two spaces, one level deeper', text: 'func f() {\n\tif x {\n\t\ty()\n\t}\n}\n', find: '  if x {\n    y()\n  }', replace: '  if x {\n    for {\n      y()\n    }\n  }', rule: 'trimmed-lines', result: 'func f() {\n\tif x {\n\t\tfor {\n\t\t\ty()\n\t\t}\n\t}\n}\n' },
  { name: 'spaces in the file, tabs sent', text: 'if x:\n    if y:\n        z()\n', find: '\tif y:\n\t\tz()', replace: '\tif y:\n\t\tz()\n\t\tw()', rule: 'trimmed-lines', result: 'if x:\n    if y:\n        z()\n        w()\n' },
  { name: 'two spaces in the file, four sent', text: 'a {\n  b {\n    c\n  }\n}\n', find: '    b {\n        c\n    }', replace: '    b {\n        c {\n            d\n        }\n    }', rule: 'trimmed-lines', result: 'a {\n  b {\n    c {\n      d\n    }\n  }\n}\n' },
  { name: 'four spaces in the file, two sent', text: 'a {\n    b {\n        c\n    }\n}\n', find: '  b {\n    c\n  }', replace: '  b {\n    c\n  }\n  d {\n    e\n  }', rule: 'trimmed-lines', result: 'a {\n    b {\n        c\n    }\n    d {\n        e\n    }\n}\n' },
  { name: 'one tab-indented line, sent with spaces', text: 'x\n\tfoo();\ny\n', find: '    foo();', replace: '    bar();', rule: 'indentation', result: 'x\n\tbar();\ny\n' },
  { name: 'further out than any line that matched', text: 'f() {\n\t\tx\n\t\ty\n}\n', find: '        x\n        y', replace: '    x\n        y', rule: 'indentation', result: 'f() {\n\tx\n\t\ty\n}\n' },
  { name: 'alignment after a tab survives in lines that are repeated', text: '\ta(b,\n\t  c)\n\td\n', find: '    a(b,\n      c)\n    d', replace: '    a(b,\n      c)\n    e', rule: 'indentation', result: '\ta(b,\n\t  c)\n\te\n' },
  { name: 'the file’s step is learnt from the rest of the file', text: 'a:\n  b:\n    c: 1\n\nlist: 1\n', find: '    list: 1 ', replace: '    list:\n        x: 1', rule: 'trimmed-lines', result: 'a:\n  b:\n    c: 1\n\nlist:\n  x: 1\n' },

  // Lines that differ at their ends.
  { name: 'trailing blanks in the file', text: 'a  \nb\t\nc\n', find: 'a\nb', replace: 'x\ny', rule: 'trimmed-lines', result: 'x\ny\nc\n' },
  { name: 'trailing blanks sent', text: 'a\nb\nc\n', find: 'a \nb ', replace: 'x\ny', rule: 'trimmed-lines', result: 'x\ny\nc\n' },
  { name: 'a repeated line keeps its trailing blanks', text: 'a  \nb\nc\n', find: 'a\nb', replace: 'a\nx', rule: 'trimmed-lines', result: 'a  \nx\nc\n' },
  { name: 'relative indents differ', text: 'a\n   b\n c\n', find: 'a\nb\nc', replace: 'a\nb\nC', rule: 'trimmed-lines', result: 'a\n   b\nC\n' },
  { name: 'trimmed lines in two places', text: ' a \nx\n  a  \n', find: '\ta\t', replace: 'b', ambiguous: [1, 3] },
  { name: 'a blank line too many is no match', text: 'alpha\n\nbeta\n', find: ' alpha\nbeta', replace: 'x', cause: 'whitespace' },

  // White space within lines.
  { name: 'several blanks for one', text: 'x  =   1;\n', find: 'x = 1; ', replace: 'x = 2;', rule: 'collapsed-whitespace', result: 'x = 2;\n' },
  { name: 'a tab for a blank', text: 'key\tvalue\nother\n', find: 'key value', replace: 'key\tnew', rule: 'collapsed-whitespace', result: 'key\tnew\nother\n' },
  { name: 'aligned columns', text: '  a    = 1\n  long = 2\n', find: 'a = 1\nlong = 2', replace: 'a = 1\nlong = 3', rule: 'collapsed-whitespace', result: '  a    = 1\n  long = 3\n' },
  { name: 'no blank is not one blank', text: 'f(a,b)\n', find: 'f(a, b)', replace: 'g()', cause: 'whitespace' },
  { name: 'collapsed lines in two places', text: 'a  b\na   b\n', find: 'a b', replace: 'c', ambiguous: [1, 2] },

  // Within a line.
  { name: 'blanks around a part of a line', text: 'let value = compute(1);\n', find: ' compute(1) ', replace: ' compute(2) ', rule: 'trimmed-substring', result: 'let value = compute(2);\n' },
  { name: 'a line feed around a part of a line', text: 'call(alpha, beta)\n', find: 'alpha\n', replace: 'gamma\n', rule: 'trimmed-substring', result: 'call(gamma, beta)\n' },
  { name: 'a trimmed part in two places', text: 'f(a); f(a);\n', find: ' f(a) ', replace: 'g', ambiguous: [1, 1] },
  { name: 'white space alone is not found loosely', text: 'a b\n', find: '   ', replace: 'x', cause: 'absent' },

  // Look-alikes.
  { name: 'straight quotes for curly ones', text: 'say “hello” now\n', find: 'say "hello"', replace: 'say "bye"', rule: 'look-alikes', result: 'say "bye" now\n' },
  { name: 'curly quotes for straight ones', text: "it's fine\n", find: 'it’s fine', replace: "it's good", rule: 'look-alikes', result: "it's good\n" },
  { name: 'a hyphen for an en dash', text: 'pages 1–2\n', find: 'pages 1-2', replace: 'pages 1–3', rule: 'look-alikes', result: 'pages 1–3\n' },
  { name: 'a minus sign', text: 'x = −1\n', find: 'x = -1', replace: 'x = -2', rule: 'look-alikes', result: 'x = -2\n' },
  { name: 'a no-break space within a longer line', text: '<p>10\u00a0km away</p>\n', find: '10 km', replace: '12\u00a0km', rule: 'look-alikes', result: '<p>12\u00a0km away</p>\n' },
  { name: 'a zero-width space in the file', text: 'foo\u200bbar baz\n', find: 'foobar', replace: 'qux', rule: 'look-alikes', result: 'qux baz\n' },
  { name: 'a zero-width space at the border stays', text: 'a \u200bfoo’s\u200b b\n', find: "foo's", replace: 'x', rule: 'look-alikes', result: 'a \u200bx\u200b b\n' },
  { name: 'an ellipsis for three dots', text: 'wait… done\n', find: 'wait... done', replace: 'ok', rule: 'look-alikes', result: 'ok\n' },
  { name: 'a part of an ellipsis is no match', text: 'wait… done\n', find: 'wait.\u200b', replace: 'ok', cause: 'similar-text' },
  { name: 'look-alikes over several lines of a CRLF file', text: 'a “b”\r\nc\r\n', find: 'a "b"\nc', replace: 'd\ne', rule: 'look-alikes', result: 'd\r\ne\r\n' },
  { name: 'look-alikes in two places', text: '“a”\n”a”\n', find: '"a"', replace: 'x', ambiguous: [1, 2] },
  { name: 'a backtick is no quote', text: 'const a = `b`\n', find: "'b'", replace: 'x', cause: 'absent' },
  { name: 'other letters do not match', text: 'naïve\n', find: 'naive', replace: 'x', cause: 'similar-text' },

  // The words of clarvis: whole lines, as sent.
  { by: 'clarvis', name: 'clarvis: the block is replaced as sent', text: 'def f():\n        if x:\n            y()\n', find: 'if x:\n    y()', replace: '    if z:\n        y()', rule: 'indentation', result: 'def f():\n    if z:\n        y()\n' },
  { by: 'clarvis', name: 'clarvis: trimmed lines', text: '  alpha  \n\tbeta\ngamma\n', find: 'alpha\nbeta', replace: 'X', rule: 'trimmed-lines', result: 'X\ngamma\n' },
  { by: 'clarvis', name: 'clarvis: two places', text: '  foo();\nx\n    foo();\n', find: '\tfoo();', replace: 'bar();', ambiguous: [1, 3] },
  { by: 'clarvis', name: 'clarvis: a final line feed takes the line’s ending along', text: '  a\n  b\nc\n', find: 'a\nb\n', replace: 'X', rule: 'indentation', result: 'Xc\n' },
  { by: 'clarvis', name: 'clarvis: empty lines at the end do not count', text: '  a\n  b\nc\n', find: 'a\nb\n\n\n', replace: 'X\n', rule: 'indentation', result: 'X\nc\n' },
  { by: 'clarvis', name: 'clarvis: new lines take the most frequent ending', text: 'a\nb\r\nc\r\n', find: 'a', replace: 'a\nx', rule: 'exact', result: 'a\r\nx\nb\r\nc\r\n' },
  { by: 'clarvis', name: 'clarvis: a trimmed part of a line, replaced as sent', text: 'call(alpha)\n', find: ' alpha ', replace: ' beta ', rule: 'trimmed-substring', result: 'call( beta )\n' },
  { by: 'clarvis', name: 'clarvis: no look-alikes', text: 'say “hello”\n', find: 'say "hello"', replace: 'x', cause: 'look-alike-characters' },

  // The words of replay: whole lines under one indent.
  { by: 'replay', name: 'replay: the indent of the place, the ending of the place', text: "function greet() {\n    console.log('hello');\n    return 42;\n}\n", find: "console.log('hello');\nreturn 42;", replace: "console.log('world');\nreturn 0;", rule: 'indentation', result: "function greet() {\n    console.log('world');\n    return 0;\n}\n" },
  { by: 'replay', name: 'replay: a final line feed is not doubled', text: '{\n    a;\n    b;\n}\n', find: 'a;\nb;', replace: 'c;\nd;\n', rule: 'indentation', result: '{\n    c;\n    d;\n}\n' },
  { by: 'replay', name: 'replay: the new text’s own common indent goes, the relative one stays', text: '{\n    a;\n    b;\n}\n', find: 'a;\nb;', replace: '  c {\n     d;\n  }', rule: 'indentation', result: '{\n    c {\n       d;\n    }\n}\n' },
  { by: 'replay', name: 'replay: an empty line gets no indent', text: '\ta;\n\tb;\n', find: 'a;\nb;', replace: 'a;\n\nb;', rule: 'indentation', result: '\ta;\n\n\tb;\n' },
  { by: 'replay', name: 'replay: two places', text: 'def a():\n    x();\n    return 1;\ndef b():\n    x();\n    return 1;\n', find: 'x();\nreturn 1;', replace: 'y();\nreturn 2;', ambiguous: [2, 5] },
  { by: 'replay', name: 'replay: trailing blanks must match', text: '  a; \n  b;\n', find: 'a;\nb;', replace: 'c;', cause: 'whitespace' },
]
