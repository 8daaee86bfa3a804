<?php

use OpenAPI\Client\Api;
use OpenAPI\Client\Model\FormInput;

require '/usr/share/php/GuzzleHttp/autoload.php';
spl_autoload_register(function (string $name) {
    $file = __DIR__ . '/lib/' . strtr(substr($name, strlen('OpenAPI\Client\\')), '\\', '/') . '.php';
    if (is_file($file)) {
        require $file;
    }
});

$config = OpenAPI\Client\Configuration::getDefaultConfiguration()->setAccessToken($argv[1]);
$forms = new Api\FormsApi(null, $config);
$id = $forms->createForm((new FormInput())->setTitle('Kontakt')->setReturnUrl($argv[2]))->getId();
$form = $forms->getForm($id);
(new Api\CollectingApi(null, $config))->submit($id, ['address' => ['city' => 'Berlin'], 'name' => 'Zoë']);
$list = (new Api\SubmissionsApi(null, $config))->listSubmissions($id);
$found = (new Api\SearchApi(null, $config))->searchSubmissions($id, q: 'berlin', has_files: false);
// Its defaults go out as raw=0 and bom=0.
$file = (new Api\ExportApi(null, $config))->exportSubmissions($id);
$csv = file_get_contents($file->getRealPath());
$forms->deleteForm($id);
try {
    $forms->getForm($id);
} catch (OpenAPI\Client\ApiException $e) {
    $gone = $e->getCode();
}
$data = $list->getSubmissions()[0]->getData();
echo json_encode([$form->getReturnUrl(), $data, count($found->getSubmissions()), $csv, $gone]), "\n";
