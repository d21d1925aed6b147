import { FAULT_GROUPS } from './fault-list';
import { isGreen, judge, reportText } from './fault-report';
import { runFaultTests } from './fault-runs';

// With words behind the command only the groups whose heading begins with one of them: `npm run faults -- http data`.
const words = process.argv.slice(2).map((word) => word.toLowerCase());
const isWanted = (heading: string) =>
  words.length === 0 || words.some((word) => heading.toLowerCase().startsWith(word));
const groups = FAULT_GROUPS.filter(({ heading }) => isWanted(heading));
if (groups.length === 0) {
  const headings = FAULT_GROUPS.map(({ heading }) => heading).join(', ');
  process.stderr.write(`No group of faults begins like that. There are: ${headings}.\n`);
  process.exit(1);
}

const tests = groups.flatMap(({ faults }) => faults.flatMap((fault) => fault.tests));
const judged = judge(groups, await runFaultTests(tests));
process.stdout.write(reportText(judged));
process.exit(isGreen(judged) ? 0 : 1);
