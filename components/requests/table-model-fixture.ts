import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import type { ColumnLayout } from '@/lib/requests/columns';
import { type TableModel, useTableModel } from './use-table-model';

type Given = Parameters<typeof useTableModel>[0];

const nothing = () => {};

function Probe({ given, onModel }: { given: Given; onModel: (model: TableModel) => void }) {
  onModel(useTableModel(given).table);
  return null;
}

/** The model of a table without rows, for tests. */
export function modelOf(columns: ColumnLayout['columns'], change: Partial<Given> = {}): TableModel {
  const given: Given = {
    rows: [],
    layout: { columns, density: 'normal' },
    sort: 'created.desc',
    onLayout: nothing,
    onSort: nothing,
    ...change,
  };
  const models: TableModel[] = [];
  renderToString(createElement(Probe, { given, onModel: (model) => models.push(model) }));
  const [model] = models;
  if (model === undefined) throw new Error('The probe was not rendered');
  return model;
}
