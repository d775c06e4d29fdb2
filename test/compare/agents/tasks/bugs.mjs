import { evaluate, treeIs } from '../checks.mjs'

const paging = 'src/report/paging.js'
const periods = 'src/core/periods.js'

const faulty = '  const start = page > 1 ? first - 1 : first\n  return entries.slice(start, first + size)'
const fixed = '  return entries.slice(first, first + size)'
const pagesAsked = '[1, 2, 3].map((page) => entriesOfPage([1, 2, 3, 4, 5, 6, 7], page, 3))'
const pagesWanted = '[[1,2,3],[4,5,6],[7]]'
const datesAsked =
  "['01', '02', '03', '04', '06', '07', '09', '10', '11', '12'].map((month) => periodOf('2026-' + month + '-15').slice(5))"
const datesWanted = '["Q1","Q1","Q1","Q2","Q2","Q3","Q3","Q4","Q4","Q4"]'

/** @type {import('./task.mjs').Task} */
export const pageBug = {
  id: 'page-bug',
  title: 'fix a bug from its report: pages',
  prompt:
    'A user reports: "From the second page on, a page of a report begins with the last entry of the page before, so it has one ' +
    'entry too many." Find the cause in src and fix it there. Change nothing else.',
  check: ({ root }) => treeIs(root, { [paging]: (source) => behaves(source, pagesAsked, pagesWanted) }),
  scripts: {
    polyfs: {
      steps: [
        {
          why: 'Where are pages made?',
          call: ['grep', { pattern: 'function \\w*page', ignore_case: true, path: 'src' }],
        },
        { why: 'Read the function', call: ['read_file', { path: paging }] },
        {
          why: 'Fix it',
          call: ['edit_file', { path: paging, old_string: faulty, new_string: fixed }],
        },
      ],
    },
    official: {
      steps: [
        { why: 'Which file makes pages, by its name?', call: ['search_files', { path: 'src', pattern: '**/*pag*' }] },
        { why: 'The likely one', call: ['read_text_file', { path: paging }] },
        {
          why: 'Fix it',
          call: [
            'edit_file',
            {
              path: paging,
              edits: [{ oldText: faulty, newText: fixed }],
            },
          ],
        },
      ],
    },
  },
}

/** @type {import('./task.mjs').Task} */
export const periodBug = {
  id: 'period-bug',
  title: 'fix a bug from its report: periods',
  prompt:
    "A user reports: \"Exporting entries of January fails with 'unknown period for 2026-01-15', and what was booked in April is " +
    'exported as Q1." Find the cause in src and fix it there. Change nothing else.',
  check: ({ root }) => treeIs(root, { [periods]: (source) => behaves(source, datesAsked, datesWanted) }),
  scripts: {
    polyfs: {
      steps: [
        {
          why: 'Where does the message come from?',
          call: ['grep', { pattern: 'unknown period', path: 'src', context: 6 }],
        },
        {
          why: 'Fix it',
          call: [
            'edit_file',
            { path: periods, old_string: 'Math.floor(monthOf(date) / 3)', new_string: 'Math.ceil(monthOf(date) / 3)' },
          ],
        },
      ],
    },
    official: {
      steps: [
        {
          why: 'Which file is about periods, by its name?',
          call: ['search_files', { path: 'src', pattern: '**/*period*' }],
        },
        { why: 'The only one', call: ['read_text_file', { path: periods }] },
        {
          why: 'Fix it',
          call: [
            'edit_file',
            {
              path: periods,
              edits: [{ oldText: 'Math.floor(monthOf(date) / 3)', newText: 'Math.ceil(monthOf(date) / 3)' }],
            },
          ],
        },
      ],
    },
  },
}

async function behaves(source, asked, wanted) {
  const value = await evaluate(source, asked)
  return JSON.stringify(value) === wanted ? undefined : `the code gives ${JSON.stringify(value)}`
}
