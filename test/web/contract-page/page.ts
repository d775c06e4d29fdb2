import { type Results, type TargetName, targets } from './targets.js'

/** The functions that a test calls. */
export const contractPage = {
  inPage: (target: TargetName) => targets[target](),
  inWorker(target: TargetName): Promise<Results> {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
    return new Promise<Results>((resolve, reject) => {
      worker.onmessage = ({ data }) => ('fault' in data ? reject(new Error(data.fault)) : resolve(data.results))
      worker.onerror = ({ message }) => reject(new Error(message))
      worker.postMessage(target)
    }).finally(() => worker.terminate())
  },
}

export type ContractPage = typeof contractPage

Object.assign(globalThis, { contractPage })
void reportTo(new URL(location.href))

/** For a browser that nobody drives: the address names what to run, as in `?run=inPage+opfs`, and the results are sent back to the site. */
async function reportTo({ searchParams }: URL): Promise<void> {
  for (const run of searchParams.getAll('run')) {
    const [where, target] = run.split(' ') as [keyof ContractPage, TargetName]
    const report = await contractPage[where](target).then(
      (results) => ({ run, results }),
      (error) => ({ run, fault: String(error) }),
    )
    await fetch('/report', { method: 'POST', body: JSON.stringify(report) })
  }
}
