/** `POST`: services that are left in peace because they failed may be asked once before their time. Calls none of them. */
export const SERVICE_TRY_ADDRESS = '/api/view/services/try';
