import { notFound, redirect } from 'next/navigation';
import { requirePrincipal } from '@/lib/access/page-principal';
import { INSPECTOR_PATH } from '@/lib/core/payload-link';

type Props = { params: Promise<{ view: string }> };

const VIEWS = new Map([
  ['lookup', '/prices'],
  ['symbols', '/prices?view=symbols'],
  ['inspector', INSPECTOR_PATH],
  ['inspect', INSPECTOR_PATH],
]);

/** Views of `/prices` are a parameter; typed as a path, their names lead there too. */
export default async function PricesViewPage({ params }: Props) {
  await requirePrincipal();
  const path = VIEWS.get((await params).view);
  if (path === undefined) notFound();
  redirect(path as '/prices');
}
