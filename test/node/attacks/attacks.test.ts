import { describeAttacks } from '../../attacks/suite.js'
import { diskStage } from './stage.js'

describeAttacks('disk', () => diskStage())
describeAttacks('disk without descriptors', () => diskStage({ anchor: 'walk' }))
