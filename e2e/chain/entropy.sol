// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// The randomness contract as far as the dashboard asks it. It keeps no fees, and a provider's chain is any numbers.
interface Requester {
    function _entropyCallback(uint64 sequence, address provider, bytes32 randomNumber) external;
}

contract TestEntropy {
    struct Request {
        address provider;
        uint64 sequenceNumber;
        uint32 numHashes;
        bytes32 commitment;
        uint64 blockNumber;
        address requester;
        bool useBlockhash;
        uint8 callbackStatus;
        uint16 gasLimit10k;
    }

    struct Provider {
        uint128 feeInWei;
        uint128 accruedFeesInWei;
        bytes32 originalCommitment;
        uint64 originalCommitmentSequenceNumber;
        bytes commitmentMetadata;
        bytes uri;
        uint64 endSequenceNumber;
        uint64 sequenceNumber;
        bytes32 currentCommitment;
        uint64 currentCommitmentSequenceNumber;
        address feeManager;
        uint32 maxNumHashes;
        uint32 defaultGasLimit;
    }

    error OutOfRandomness();
    error LastRevealedTooOld();
    error NoSuchRequest();
    error IncorrectRevelation();

    event Revealed(
        address indexed provider,
        address indexed caller,
        uint64 indexed sequenceNumber,
        bytes32 randomNumber,
        bytes32 userContribution,
        bytes32 providerContribution,
        bool callbackFailed,
        bytes callbackReturnValue,
        uint32 callbackGasUsed,
        bytes extraArgs
    );

    mapping(address => mapping(uint64 => Request)) private requests;
    mapping(address => Provider) private providers;

    function register(uint64 numbers, uint32 maxNumHashes) external {
        Provider storage provider = providers[msg.sender];
        if (provider.sequenceNumber == 0) provider.sequenceNumber = 1;
        provider.endSequenceNumber = provider.sequenceNumber + numbers;
        provider.maxNumHashes = maxNumHashes;
    }

    /// `commitment`: hash of the user's number and of the hash of the provider's.
    function request(address of_, bytes32 commitment, uint16 gasLimit10k) external returns (uint64 sequence) {
        Provider storage provider = providers[of_];
        sequence = provider.sequenceNumber;
        if (sequence >= provider.endSequenceNumber) revert OutOfRandomness();
        uint32 numHashes = uint32(sequence - provider.currentCommitmentSequenceNumber);
        if (provider.maxNumHashes != 0 && numHashes > provider.maxNumHashes) revert LastRevealedTooOld();
        provider.sequenceNumber = sequence + 1;
        requests[of_][sequence] = Request(
            of_, sequence, numHashes, commitment, uint64(block.number), msg.sender, false, 1, gasLimit10k
        );
    }

    function revealWithCallback(address of_, uint64 sequence, bytes32 user, bytes32 contribution) external {
        Request memory req = requests[of_][sequence];
        if (req.sequenceNumber == 0) revert NoSuchRequest();
        if (keccak256(abi.encodePacked(user, keccak256(abi.encodePacked(contribution)))) != req.commitment)
            revert IncorrectRevelation();
        bytes32 number = keccak256(abi.encodePacked(user, contribution, bytes32(0)));
        Provider storage provider = providers[of_];
        if (sequence > provider.currentCommitmentSequenceNumber) provider.currentCommitmentSequenceNumber = sequence;
        if (req.callbackStatus == 3) {
            delete requests[of_][sequence];
            Requester(req.requester)._entropyCallback(sequence, of_, number);
            emit Revealed(of_, req.requester, sequence, number, user, contribution, false, "", 0, "");
            return;
        }
        uint256 gas = gasleft();
        try Requester(req.requester)._entropyCallback{gas: uint256(req.gasLimit10k) * 10000}(sequence, of_, number) {
            delete requests[of_][sequence];
            emit Revealed(of_, req.requester, sequence, number, user, contribution, false, "", uint32(gas - gasleft()), "");
        } catch (bytes memory returned) {
            requests[of_][sequence].callbackStatus = 3;
            emit Revealed(
                of_, req.requester, sequence, number, user, contribution, true, returned, uint32(gas - gasleft()), ""
            );
        }
    }

    function getRequestV2(address provider, uint64 sequence) external view returns (Request memory) {
        return requests[provider][sequence];
    }

    function getProviderInfoV2(address provider) external view returns (Provider memory) {
        return providers[provider];
    }
}

/// The same of the first generation: without gas limits, states of a callback, and V2 functions and events. A callback that
/// fails reverts its reveal.
contract TestEntropyV1 {
    struct Request {
        address provider;
        uint64 sequenceNumber;
        uint32 numHashes;
        bytes32 commitment;
        uint64 blockNumber;
        address requester;
        bool useBlockhash;
        bool isRequestWithCallback;
    }

    error NoSuchRequest();
    error IncorrectRevelation();

    event RevealedWithCallback(
        Request request, bytes32 userRandomNumber, bytes32 providerRevelation, bytes32 randomNumber
    );

    mapping(address => mapping(uint64 => Request)) private requests;
    uint64 private next = 1;

    function register(uint64, uint32) external {}

    function request(address of_, bytes32 commitment, uint16) external returns (uint64 sequence) {
        sequence = next++;
        requests[of_][sequence] =
            Request(of_, sequence, 1, commitment, uint64(block.number), msg.sender, false, true);
    }

    function revealWithCallback(address of_, uint64 sequence, bytes32 user, bytes32 contribution) external {
        Request memory req = requests[of_][sequence];
        if (req.sequenceNumber == 0) revert NoSuchRequest();
        if (keccak256(abi.encodePacked(user, keccak256(abi.encodePacked(contribution)))) != req.commitment)
            revert IncorrectRevelation();
        bytes32 number = keccak256(abi.encodePacked(user, contribution, bytes32(0)));
        emit RevealedWithCallback(req, user, contribution, number);
        delete requests[of_][sequence];
        Requester(req.requester)._entropyCallback(sequence, of_, number);
    }

    function getRequest(address provider, uint64 sequence) external view returns (Request memory) {
        return requests[provider][sequence];
    }
}

/// A requester whose callback fails on demand.
contract TestRequester is Requester {
    bool public fails;
    bytes32 public last;

    function setFails(bool value) external {
        fails = value;
    }

    function ask(TestEntropy entropy, address provider, bytes32 commitment, uint16 gasLimit10k) external {
        entropy.request(provider, commitment, gasLimit10k);
    }

    function _entropyCallback(uint64, address, bytes32 number) external {
        require(!fails, "Game: round is over");
        last = number;
    }
}
