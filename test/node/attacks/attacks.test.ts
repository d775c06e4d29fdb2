import { attacks } from '../../attacks/corpus.js'
import { describeAttacks } from '../../attacks/suite.js'
import { sample } from '../../scale.js'
import { diskStage } from './stage.js'

describeAttacks('disk', () => diskStage(), { cases: sample(attacks, { every: 2 }) })
describeAttacks('disk without descriptors', () => diskStage({ anchor: 'walk' }), { cases: sample(attacks) })
