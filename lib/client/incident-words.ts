import { type Incident, incidentHeadline, type Standing } from '@/lib/domain/diagnosis/incident';
import { countText } from '@/lib/domain/diagnosis/span-text';
import { defaultRequestsView, formatRequestsUrl } from '@/lib/requests/view';
import { clipped } from './foreign-text';
import { groupDigits } from './human-number';

/** Names and moments as the page writes them. */
export type IncidentText = { network: (networkId: string) => string; moment: (ms: number) => string };

/** `Base: 41 pending, 12 senders, since 10:42:00 UTC`; names of networks are made harmless. */
export function headlineOf(
  incident: Pick<Incident, 'networkId' | 'size' | 'senders' | 'sinceMs'>,
  { network, moment }: IncidentText,
): string {
  return incidentHeadline(incident, { network: (id) => clipped(network(id), 60), moment });
}

/** The pending requests of an incident as a view of the log table: as close as the service's filters come. */
export function incidentRowsPath(incident: Pick<Incident, 'keeper' | 'networkId' | 'subject'>) {
  const { keeper, networkId, subject } = incident;
  return formatRequestsUrl({
    ...defaultRequestsView(),
    networks: [networkId],
    keepers: [keeper],
    states: ['pending'],
    time: { kind: 'all' },
    q: searchedFor(subject),
  });
}

/** What finds the requests of a subject; the service has no filter for the others. */
function searchedFor(subject: Incident['subject']): string {
  if (subject.kind === 'sender') return subject.sender;
  return subject.kind === 'transaction' ? subject.transaction : '';
}

/** What an incident is about, where the headline alone does not say it; texts of strangers are clipped. */
export function subjectWords(subject: Incident['subject']): { label: string; value: string } | undefined {
  switch (subject.kind) {
    case 'sender':
      return { label: 'Sender', value: clipped(subject.sender, 80) };
    case 'transaction':
      return { label: 'Transaction', value: clipped(subject.transaction, 80) };
    case 'replica': {
      const rest = `sequence mod ${subject.modulus} = ${subject.remainder}`;
      return { label: 'Numbers', value: `${rest}, provider ${clipped(subject.provider, 80)}` };
    }
    default:
      return undefined;
  }
}

/** `3 incidents and 2 single requests`. */
export function stuckParts({ incidents, singles }: Extract<Standing, { kind: 'stuck' }>): string {
  const parts = [
    ...(incidents === 0 ? [] : [countText(incidents, 'incident')]),
    ...(singles === 0 ? [] : [countText(singles, 'single request')]),
  ];
  return parts.join(' and ');
}

/** `1,234 requests are stuck`, with `At least` in front while not everything could be looked at. */
export function stuckCount(requests: number, extent: 'whole' | 'part'): string {
  const verb = requests === 1 ? 'request is' : 'requests are';
  const count = `${groupDigits(String(requests))} ${verb} stuck`;
  return extent === 'whole' ? count : `At least ${count}`;
}

/** The title of a rule where its sentence does not say it anyhow. */
export function titleBeside(title: string, sentence: string | undefined): string | undefined {
  return sentence?.toLowerCase().includes(title.toLowerCase()) ? undefined : title;
}
