import { treeIs } from '../checks.mjs'
import { repository } from '../repository/index.mjs'

const path = 'legacy/TARIF.INI'
const before = repository().get(path).toString('latin1')
const after = Buffer.from(before.replace('Grundgeb\xfchr=12.50', 'Grundgeb\xfchr=13.90'), 'latin1')

/** @type {import('./task.mjs').Task} */
export const legacy = {
  id: 'legacy',
  title: 'change one value in a Latin-1 file, and no other byte',
  prompt:
    'In legacy/TARIF.INI, set the basic fee in the section for fees (Gebühren) from 12.50 to 13.90. An old program reads this file: ' +
    'no other byte may change.',
  check: ({ root }) => treeIs(root, { [path]: after }),
  scripts: {
    polyfs: {
      steps: [
        { why: 'Read the file', call: ['read_file', { path }] },
        {
          why: 'Set the value',
          call: ['edit_file', { path, old_string: 'Grundgebühr=12.50', new_string: 'Grundgebühr=13.90' }],
        },
      ],
    },
    official: {
      steps: [
        { why: 'Read the file: umlauts come as U+FFFD, so it is not UTF-8', call: ['read_text_file', { path }] },
        { why: 'Its bytes confirm Latin-1 with CRLF', call: ['read_media_file', { path }] },
        // Every tool that writes encodes as UTF-8, so an edit would destroy the umlauts: a good agent reports that, and leaves the file alone.
      ],
      answer: 'The file is in Latin-1. My tools write UTF-8 only and would change other bytes, so I left it as it is.',
    },
  },
}
