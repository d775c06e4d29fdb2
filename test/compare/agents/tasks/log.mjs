import { answerLine } from '../checks.mjs'
import { logPath } from '../repository/index.mjs'
import { clock, serverLog } from '../repository/log.mjs'

const { facts } = serverLog()
const wanted = [facts.exhaustions, facts.firstErrorAfter, facts.lastExhaustedBefore].join(' ')
const exhausted = 'connection pool exhausted'

/** @type {import('./task.mjs').Task} */
export const log = {
  id: 'log',
  title: 'three questions about a log of 18 MB',
  prompt:
    'About logs/server.log: How often was the connection pool exhausted ("connection pool exhausted")? Which request (req=) was the ' +
    'first to fail (ERROR) after "deployed release 2.4.1"? Which request was the last to find the pool exhausted before that deployment? ' +
    'End with a line: ANSWER: <count> <request> <request>',
  check: ({ answer }) =>
    answerLine(answer) === wanted ? undefined : `the answer is ${answerLine(answer)}, not ${wanted}`,
  scripts: {
    polyfs: {
      steps: [
        {
          why: 'The count, the deployment, and what came before it',
          call: ['grep', { path: logPath, pattern: `${exhausted}|deployed release 2\\.4\\.1` }],
          takes: { count: countExhausted, last: lastExhausted },
        },
        {
          why: 'The first error after it',
          call: ['grep', { path: logPath, pattern: ' ERROR ', start_line: facts.deploymentLine, limit: 1 }],
          takes: { first: / ERROR .* req=(\w+)/ },
        },
      ],
      answer: 'ANSWER: {count} {first} {last}',
    },
    official: {
      // The log does not fit into any model's context. An edit that is only tried (`dryRun`) is the one call that finds text in it.
      steps: [
        {
          why: 'When was the deployment?',
          call: probe('deployed release 2.4.1', 1),
          takes: { deployed: /^-(\S+ \S+) INFO .*deployed release/m },
        },
        // An edit replaces one place, so a list of N equal edits fails if there are fewer places than N.
        ...[
          [16, false],
          [32, true],
          [24, true],
          [20, false],
          [22, false],
        ].map(([count, fails]) => ({
          why: `Are there ${count} places?`,
          call: probe(exhausted, count),
          ...(fails && { fails: true }),
        })),
        {
          why: 'Are there 23 places? The changes tried show all of them',
          call: probe(exhausted, 23),
          takes: {
            count: (text) => String([...text.matchAll(/^-.*connection pool exhausted/gm)].length),
            last: (text, { deployed }) =>
              [...text.matchAll(/^-(\S+ \S+) .*exhausted.* req=(\w+)/gm)]
                .filter(([, time]) => time < deployed)
                .at(-1)?.[2],
          },
        },
        // Lines begin with the second: the first error is found by trying one second after the other.
        ...Array.from({ length: facts.quietSeconds }, (_, i) => ({
          why: 'Was there an error in this second?',
          call: probe(`${clock(facts.deployedAt + i)} ERROR`, 1),
          fails: true,
          guess: true,
        })),
        {
          why: 'And in this one?',
          call: probe(`${clock(facts.deployedAt + facts.quietSeconds)} ERROR`, 1),
          guess: true,
          takes: { first: /^-.* ERROR .* req=(\w+)/m },
        },
      ],
      answer: 'ANSWER: {count} {first} {last}',
    },
  },
}

/** An edit that is tried at `count` places and shows them, with their lines. */
function probe(oldText, count) {
  return [
    'edit_file',
    { path: logPath, edits: Array.from({ length: count }, () => ({ oldText, newText: '#' })), dryRun: true },
  ]
}

function countExhausted(text) {
  return String([...text.matchAll(/connection pool exhausted/g)].length)
}

function lastExhausted(text) {
  return [...text.split('deployed release')[0].matchAll(/exhausted.* req=(\w+)/g)].at(-1)?.[1]
}
