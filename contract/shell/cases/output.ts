import type { ShellCase } from '../types.js'

const bytes = Array.from({ length: 256 }, (_, byte) => byte)
const octal = bytes.map((byte) => `\\0${byte.toString(8).padStart(3, '0')}`).join('')

/** What commands write, and what they read. */
export const outputCases: ShellCase[] = [
  {
    name: 'output and errors are kept apart',
    steps: [{ run: 'echo out; echo err >&2', stdout: 'out\n', stderr: 'err\n' }],
  },
  {
    name: 'errors can be sent to the output, and away',
    steps: [{ run: '{ echo out; echo err >&2; } 2>&1; echo gone 2>/dev/null >&2', stdout: 'out\nerr\n' }],
  },
  {
    name: 'merged, output and errors are in the order in which they were written',
    steps: [
      {
        run: 'for i in 1 2 3 4 5 6 7 8 9; do echo out$i; echo err$i >&2; done; ls no-such-file >/dev/null 2>&1; echo last',
        mergeStreams: true,
        stdout: `${[1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `out${n}\nerr${n}\n`).join('')}last\n`,
        stderr: '',
      },
    ],
  },
  {
    name: 'merged, programs and the shell itself write in one order too, and a session keeps its state',
    steps: [
      {
        run: 'printf one; cat no-such-file 2>/dev/null; printf two >&2; sh -c "printf three; printf four >&2"; V=5; export V; mkdir d; cd d',
        mergeStreams: true,
        session: true,
        stdout: 'onetwothreefour',
        stderr: '',
      },
      {
        run: 'echo "$V" >&2; basename "$PWD"; exit 3',
        mergeStreams: true,
        session: true,
        exitCode: 3,
        stdout: '5\nd\n',
      },
    ],
  },
  {
    name: 'merged, the limit holds for both together',
    steps: [
      {
        run: 'seq 1 5000; seq 1 5000 >&2',
        mergeStreams: true,
        maxStreamBytes: 30_000,
        stdout: { cutAt: 30_000 },
        stderr: '',
      },
    ],
  },
  { name: 'output without a newline at its end stays so', steps: [{ run: 'printf abc', stdout: 'abc' }] },
  { name: 'a command that prints nothing has empty output', steps: [{ run: ':', stdout: '' }] },
  { name: 'every byte passes as it is', steps: [{ run: `printf '%b' '${octal}'`, stdout: { bytes } }] },
  {
    name: 'bytes of a file pass as they are',
    tree: { 'data.bin': { bytes } },
    steps: [{ run: 'cat data.bin; cat data.bin', stdout: { bytes: [...bytes, ...bytes] } }],
  },
  {
    name: 'a megabyte of output arrives whole',
    tree: { 'big.txt': { repeat: '0123456789abcde\n', size: 1_000_000 } },
    steps: [{ run: 'cat big.txt', stdout: { repeat: '0123456789abcde\n', size: 1_000_000 } }],
  },
  {
    name: 'output past the limit is dropped, and the command goes on',
    steps: [
      { run: 'seq 1 5000; echo done > done', maxStreamBytes: 1000, stdout: { cutAt: 1000 } },
      { file: 'done', content: 'done\n' },
    ],
  },
  {
    name: 'output past the limit ends the command, where that is asked for',
    steps: [
      {
        run: 'while :; do echo aaaaaaaaaaaaaaaa; done',
        maxStreamBytes: 1000,
        onOutputLimit: 'end',
        ended: 'output-limit',
        stdout: { cutAt: 1000 },
      },
    ],
  },
  {
    name: 'output is reported as it comes',
    steps: [{ run: 'echo first; touch seen; sleep 60', abortWhen: 'seen', ended: 'aborted', streamed: 'first\n' }],
  },
  { name: 'there is nothing to read unless given', steps: [{ run: 'cat; echo end', stdout: 'end\n' }] },
  {
    name: 'a command reads what it is given',
    steps: [{ run: 'read FIRST; echo "<$FIRST>"; cat', stdin: 'one\ntwo\nthree', stdout: '<one>\ntwo\nthree' }],
  },
  {
    name: 'what is given can be bytes, and much',
    steps: [
      { run: 'cat', stdin: { bytes }, stdout: { bytes } },
      { run: 'wc -c | tr -d " "', stdin: { repeat: 'abc', size: 500_000 }, stdout: '500000\n' },
    ],
  },
  {
    name: 'a command need not read what it is given',
    steps: [{ run: 'echo done', stdin: { repeat: 'abc', size: 500_000 }, stdout: 'done\n' }],
  },
]
