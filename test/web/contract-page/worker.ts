import { type TargetName, targets } from './targets.js'

self.onmessage = async ({ data }: MessageEvent<TargetName>) => {
  const answer = await targets[data]().then(
    (results) => ({ results }),
    (error) => ({ fault: String(error) }),
  )
  self.postMessage(answer)
}
