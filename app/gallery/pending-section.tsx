'use client';
import { type ReactNode, useState } from 'react';
import { CalmCounts } from '@/components/pending/calm-counts';
import { ClockNote } from '@/components/pending/clock-note';
import { HandOverDialog } from '@/components/pending/hand-over-dialog';
import { IncidentCard } from '@/components/pending/incident-card';
import { IncidentList } from '@/components/pending/incident-list';
import { KnowledgeNotes } from '@/components/pending/knowledge-notes';
import { PendingPlaceProvider } from '@/components/pending/pending-context';
import { SilenceTable } from '@/components/pending/silence-table';
import { StandingLine } from '@/components/pending/standing-line';
import { StuckRequests } from '@/components/pending/stuck-requests';
import { Troubles } from '@/components/pending/troubles';
import { GATHER_STATES, requestOfKey } from '@/lib/contract/codec/triage';
import type { Incident } from '@/lib/domain/diagnosis/incident';
import { diagnosesAt, diagnosisKey, incidentDetailsAt } from './diagnosis-fixtures';
import { Opener } from './opener';
import { NETWORKS } from './request-fixtures';
import { GallerySection, Specimen } from './specimen';
import { type Known, Still } from './still';
import { answerAt, incidentsAt, silenceAt, singlesAt, standingsAt, troublesAt } from './triage-fixtures';

const KEEPERS = ['main', 'test'];

/** What the parts of the page know about networks and keepers. */
export function Place({ nowMs, children }: { nowMs: number; children: ReactNode }) {
  return (
    <PendingPlaceProvider networks={NETWORKS} settings={undefined} keepers={KEEPERS} renderedAtMs={nowMs}>
      {children}
    </PendingPlaceProvider>
  );
}

function Card({ incident, first }: { incident: Incident; first: 'yes' | undefined }) {
  const [open, setOpen] = useState(first);
  return (
    <ul>
      <IncidentCard incident={incident} open={open} onOpen={setOpen} />
    </ul>
  );
}

/** Closed ones of every severity; opened ones with requests, and without any. */
function Incidents({ nowMs }: { nowMs: number }) {
  const incidents = incidentsAt(nowMs);
  const [network, , , , quiet] = incidents;
  return (
    <>
      {incidents.map((incident) => (
        <Specimen key={incident.id} name={`An incident: ${incident.id}, ${incident.severity}`}>
          <Card incident={incident} first={undefined} />
        </Specimen>
      ))}
      {[network, quiet].map((incident) =>
        incident === undefined ? null : (
          <Specimen key={incident.id} name={`Opened: ${incident.id}`}>
            <Card incident={incident} first="yes" />
          </Specimen>
        ),
      )}
      {GATHER_STATES.map((state) => (
        <Specimen key={state} name={`The incident of a link is not there, state ${state}`}>
          <IncidentList incidents={[]} of={0} state={state} openId="gone" onOpen={() => {}} />
        </Specimen>
      ))}
    </>
  );
}

function Singles({ nowMs }: { nowMs: number }) {
  const singles = singlesAt(nowMs);
  const [openKey, setOpenKey] = useState(singles[1]?.key);
  return <StuckRequests singles={singles} of={207} openKey={openKey} onOpen={setOpenKey} />;
}

function knownAt(nowMs: number): Known {
  const complete = diagnosesAt(nowMs).find(({ name }) => name === 'Complete')?.looked;
  const singles = singlesAt(nowMs).flatMap(({ key }) => {
    const request = requestOfKey(key);
    return request === undefined ? [] : [[diagnosisKey(request), complete] as const];
  });
  return [...incidentDetailsAt(nowMs), ...singles];
}

function Around({ nowMs }: { nowMs: number }) {
  const { counts } = answerAt(nowMs);
  return (
    <>
      <Specimen name="What could not be asked">
        <Troubles troubles={troublesAt(nowMs)} />
      </Specimen>
      {[600_000, -90_000].map((offByMs) => (
        <Specimen key={offByMs} name={`The clock of a service is ${offByMs / 1000} s ahead`}>
          <ClockNote clocks={[{ keeper: 'main', offByMs }]} />
        </Specimen>
      ))}
      <Specimen name="All pending requests">
        <CalmCounts counts={counts} keepers={KEEPERS} />
      </Specimen>
      <Specimen name="All pending requests, some not seen">
        <CalmCounts counts={{ ...counts, missing: 12, unreadable: 1 }} keepers={KEEPERS} />
      </Specimen>
      <Specimen name="Silence: quiet, busy, as usual, not known">
        <SilenceTable rows={silenceAt(nowMs)} />
      </Specimen>
      <Specimen name="What these logs can’t show">
        <KnowledgeNotes />
      </Specimen>
      <Specimen name="Handing over where the browser forbids to copy" opens="yes">
        <Opener name="Hand over">
          {(close) => <HandOverDialog text={'# Arbitrum One\n\n41 pending\n'.repeat(20)} onClose={close} />}
        </Opener>
      </Specimen>
    </>
  );
}

/** Triage: how it stands, incidents, single requests, silence. */
export function PendingSection({ nowMs }: { nowMs: number }) {
  return (
    <Still known={knownAt(nowMs)}>
      <Place nowMs={nowMs}>
        <GallerySection name="standing">
          {standingsAt(nowMs).map(({ name, view }) => (
            <Specimen key={name} name={name}>
              <StandingLine view={view} />
            </Specimen>
          ))}
        </GallerySection>
        <GallerySection name="pending">
          <Incidents nowMs={nowMs} />
          <Specimen name="Single stuck requests, one of them opened">
            <Singles nowMs={nowMs} />
          </Specimen>
          <Around nowMs={nowMs} />
        </GallerySection>
      </Place>
    </Still>
  );
}
